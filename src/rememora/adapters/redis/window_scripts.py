"""Lua scripts for cached windows, each one step that Redis runs where the keys are.

A window is one string: how many messages and which stamp (16 bytes), whether that is all (1), and a msgpack array
with its length in 32 bits, so that a turn is appended without reading the turns before it.
`sure` names the head that the store has confirmed recently; `claim` is the token of the reader who is asking the
store just now, and any write removes it.
"""

from __future__ import annotations

from rememora.adapters.redis.client import Script

HEAD_BYTES = 16

# Whoever finds nothing sure says first that it asks the store, so that a write meanwhile is noticed.
ASK = Script("""
local value = redis.call('GET', KEYS[1])
if value and redis.call('GET', KEYS[2]) == string.sub(value, 1, 16) then return {value, 1} end
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
return {value or '', 0}
""")

# A window that was read before the deletion must not come back after it.
PUT = Script("""
if redis.call('EXISTS', KEYS[5], KEYS[6]) > 0 then return 0 end
if ARGV[4] ~= '' and redis.call('GET', KEYS[3]) ~= ARGV[4] then return 0 end
redis.call('SET', KEYS[1], ARGV[3], 'EX', ARGV[1])
redis.call('SADD', KEYS[4], ARGV[2])
redis.call('EXPIRE', KEYS[4], ARGV[1])
if ARGV[4] ~= '' then
  redis.call('SET', KEYS[2], string.sub(ARGV[3], 1, 16), 'PX', ARGV[5])
  redis.call('DEL', KEYS[3])
end
return 1
""")

# Two guards: the claim is still ours, and the copy still has the edition that the store returned.
CONFIRM = Script("""
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return 0 end
if redis.call('GETRANGE', KEYS[1], 0, 15) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
return redis.call('DEL', KEYS[3])
""")

# Trust that stands is handed on, none is made: a Redis that was held up does this long after it was given up on.
# Where the copy does not end just before the new messages, or has grown too long, it is no use any more.
FOLLOW = Script("""
redis.call('DEL', KEYS[3])
local sure = redis.call('GET', KEYS[2]) == ARGV[2]
local head = redis.call('GETRANGE', KEYS[1], 0, 15)
if head == ARGV[3] then return 1 end
local count = 0
if head == ARGV[2] then
  count = struct.unpack('>I4', redis.call('GETRANGE', KEYS[1], 18, 21)) + tonumber(ARGV[4])
end
if count == 0 or count > tonumber(ARGV[6]) then
  redis.call('DEL', KEYS[1], KEYS[2])
  return 0
end
redis.call('SETRANGE', KEYS[1], 0, ARGV[3])
redis.call('SETRANGE', KEYS[1], 18, struct.pack('>I4', count))
redis.call('APPEND', KEYS[1], ARGV[5])
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[4], ARGV[1])
if sure and ARGV[7] ~= '0' then redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[7]) end
return 1
""")

# The tombstone comes first: a reader that is filling the cache right now sees it and gives up.
DROP = Script("""
redis.call('SET', KEYS[5], 1, 'EX', ARGV[1])
redis.call('SREM', KEYS[4], ARGV[2])
redis.call('DEL', KEYS[2], KEYS[3])
return redis.call('DEL', KEYS[1])
""")

# As `DROP`, for every window that the user's set names.
DROP_ALL = Script("""
redis.call('SET', KEYS[5], 1, 'EX', ARGV[1])
local dropped = 0
for _, name in ipairs(redis.call('SMEMBERS', KEYS[4])) do
  dropped = dropped + redis.call('DEL', KEYS[1] .. name)
  redis.call('DEL', KEYS[2] .. name, KEYS[3] .. name)
end
redis.call('DEL', KEYS[4])
return dropped
""")
