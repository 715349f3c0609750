"""Lua scripts for missions in Redis, one step each; every key a script touches is handed to it.

A mission belongs to the life of the server that accepted it (`run_id`): a server that starts again from an old
file, or a replica that takes over, may have lost the newest changes, and with them the spending and the
failures. Such a mission counts as lost. It is never continued.
"""

from __future__ import annotations

from typing import Final

from rememora.adapters.redis.client import Script

STATUSES: Final = ("active", "completed", "timeout", "failed")

# KEYS: mission, the user's missions, where, lives, untold, then one list per status.
_RUN: Final = """
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
"""
# Events are queued in the same script as the change: a crash in between could lose them.
_EVENTS: Final = """
local function tell(first, count)
  for place = first, first + count - 1 do redis.call('RPUSH', KEYS[5], ARGV[place]) end
  if count > 0 then redis.call('EXPIRE', KEYS[5], 86400) end
end
"""

# A mission of an earlier life of the server is deleted where it is met: see the head of this module.
GET: Final = Script(
    _RUN
    + """
local found = redis.call('HGETALL', KEYS[1])
if #found == 0 then return false end
if redis.call('HGET', KEYS[1], 'run') ~= run then redis.call('DEL', KEYS[1]) return false end
return found
"""
)

# ARGV: member, id, about, created, expires, time to live, list of its status, score, events, …, fields, …
CREATE: Final = Script(
    _RUN
    + _EVENTS
    + """
if redis.call('EXISTS', KEYS[1]) > 0 then return 0 end
local count = tonumber(ARGV[9])
redis.call('HSET', KEYS[1], 'run', run, unpack(ARGV, 10 + count))
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[2])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[4], ARGV[5], ARGV[1])
redis.call('ZADD', KEYS[tonumber(ARGV[7])], ARGV[8], ARGV[1])
tell(10, count)
for place = 2, #KEYS do redis.call('EXPIRE', KEYS[place], 86400) end
return 1
"""
)

# ARGV: member, revision as it was seen, list of its status, score, events, …, fields, …
SWAP: Final = Script(
    _RUN
    + _EVENTS
    + """
local seen = redis.call('HMGET', KEYS[1], 'run', 'revision')
if seen[1] ~= run then redis.call('DEL', KEYS[1]) return -1 end
if seen[2] ~= ARGV[2] then return 0 end
local count = tonumber(ARGV[5])
if #ARGV > 5 + count then
  redis.call('HSET', KEYS[1], unpack(ARGV, 6 + count))
  for place = 6, #KEYS do redis.call('ZREM', KEYS[place], ARGV[1]) end
  redis.call('ZADD', KEYS[tonumber(ARGV[3])], ARGV[4], ARGV[1])
end
tell(6, count)
return 1
"""
)

# ARGV: member, id, events, …
DELETE: Final = Script(
    _EVENTS
    + """
local there = redis.call('HDEL', KEYS[3], ARGV[1]) + redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[1])
for place = 6, #KEYS do redis.call('ZREM', KEYS[place], ARGV[1]) end
if there == 0 then return 0 end
tell(4, tonumber(ARGV[3]))
return 1
"""
)

# KEYS: where, lives, one list per status. ARGV: now, the latest moment per status, how many at the most.
DUE: Final = Script("""
local found, seen = {}, {}
local function note(list, until_when, place)
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', list, '-inf', until_when, 'LIMIT', 0, ARGV[6])) do
    if not seen[member] then
      seen[member] = true
      table.insert(found, {member, place, redis.call('HGET', KEYS[1], member) or ''})
    end
  end
end
note(KEYS[2], ARGV[1], 0)
for place = 1, 4 do note(KEYS[place + 2], ARGV[place + 1], place) end
return found
""")

# KEYS: untold, telling. ARGV: who, for how long, how many at the most.
TAKE: Final = Script("""
if redis.call('LLEN', KEYS[1]) == 0 then return {} end
if not redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return {} end
return redis.call('LRANGE', KEYS[1], 0, tonumber(ARGV[3]) - 1)
""")

# ARGV: who, how many were told.
TOLD: Final = Script("""
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('LTRIM', KEYS[1], ARGV[2], -1)
redis.call('DEL', KEYS[2])
return redis.call('LLEN', KEYS[1])
""")

# KEYS: untold, telling. ARGV: who, for how long, whose, in which conversation. -1 while somebody tells.
HUSH: Final = Script("""
if not redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return -1 end
local gone = 0
for _, letter in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local told = cjson.decode(letter)
  if (ARGV[3] == '' or told.user == ARGV[3]) and (ARGV[4] == '' or told.conversation == ARGV[4]) then
    gone = gone + redis.call('LREM', KEYS[1], 1, letter)
  end
end
redis.call('DEL', KEYS[2])
return gone
""")
