"""Assemble the files of the container image: Python, an environment, and the shared libraries that they load.

    python tools/assemble_image.py ENVIRONMENT ROOT

Run by the Dockerfile in its first step, by the Python that the environment was made with. ROOT becomes the whole
file system of the image: no shell, no package manager, no compiler. Symbols for debuggers, tests of packages,
headers, type stubs, compiled modules and tables that the product never reads are left out.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

USER = 10001
HOME = "/var/lib/rememora"
STANDARD = Path(sysconfig.get_path("stdlib"))
UNUSED = {
    *(STANDARD / name for name in ("ensurepip", "idlelib", "lib2to3", "pydoc_data", "tkinter", "turtledemo")),
    # The environment has packages of its own.
    STANDARD / "site-packages",
}
UNUSED_PACKAGES = (
    # Places and carriers by telephone number: the gate asks only whether a text is a number.
    "phonenumbers/geodata",
    "phonenumbers/carrierdata",
    "phonenumbers/tzdata",
    # Wraps Fortran when something is built.
    "numpy/f2py",
    "pip",
)
UNUSED_ZONES = (Path("/usr/share/zoneinfo/posix"), Path("/usr/share/zoneinfo/right"))
"""The same time zones again, and with leap seconds."""
LEFT_OUT = (
    "__pycache__", "test", "tests", "idle_test", "config-3.*", "_tkinter*",
    "*.pyi", "*.a", "*.h", "*.pxd", "*.pyx",
)  # fmt: skip
SYSTEM = (
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/services",
    # Certificates: links into the third folder.
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/usr/share/ca-certificates",
    "/usr/lib/ssl",
    "/usr/share/zoneinfo",
)
LINKS = ("bin", "lib", "lib64", "sbin")
LDCONFIG = Path("/sbin/ldconfig")
"""Also asked in the image: `ctypes.util.find_library` finds the C library by it, for threadpoolctl."""
LOADED_BY_NAME = ("libgcc_s.so.1", "libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2")
"""Opened by glibc when it needs them, so that no file names them."""


def main() -> int:
    """Assemble the image and print its size."""
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    environment, root = (Path(item).absolute() for item in sys.argv[1:])
    assemble(environment, root)
    print(f"{root}: {size_of(root) / 1e6:.0f} MB")
    return 0


def assemble(environment: Path, root: Path) -> None:
    """Put into `root`, a new folder, everything that the environment needs to run."""
    root.mkdir(parents=True)
    for name in LINKS:
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    copy_python(root)
    packages = next((environment / "lib").glob("python3.*/site-packages"))
    copy_tree(environment, root, {packages / name for name in UNUSED_PACKAGES})
    for file in compiled_modules(root):
        subprocess.run(["strip", "--strip-unneeded", str(file)], check=True)
    for library in sorted({*needed_libraries(root), *named_libraries()}):
        copy_file(library, root)
    for path in map(Path, SYSTEM):
        if path.is_dir():
            copy_tree(path, root, UNUSED_ZONES)
        else:
            copy_file(path, root)
    copy_file(LDCONFIG, root)
    subprocess.run([str(LDCONFIG), "-r", str(root)], check=True)
    add_user(root)


def copy_python(root: Path) -> None:
    """Copy the interpreter and its standard library."""
    version, programs = f"python3.{sys.version_info.minor}", Path(sys.base_prefix) / "bin"
    copy_file(programs / version, root)
    for library in Path(sys.base_prefix, "lib").glob("libpython3.*.so.*"):
        copy_file(library, root)
    for name in ("python", "python3"):
        inside(root, programs / name).symlink_to(version)
    copy_tree(STANDARD, root, UNUSED)


def inside(root: Path, path: Path) -> Path:
    """Return the place of an absolute path in the image."""
    return root / path.relative_to("/")


def copy_file(path: Path, root: Path) -> None:
    """Copy one file under its name, also where that is a link; one that is not there is passed over."""
    place = inside(root, path)
    if path.exists() and not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)


def copy_tree(folder: Path, root: Path, unused: Iterable[Path]) -> None:
    """Copy a folder without what nothing reads."""
    shutil.copytree(
        folder, inside(root, folder), symlinks=True, dirs_exist_ok=True, ignore=names_left_out(frozenset(unused))
    )


def names_left_out(unused: frozenset[Path]) -> Callable[[str, list[str]], set[str]]:
    """Return the rule that `shutil.copytree` asks about the names of a folder."""

    def rule(folder: str, names: list[str]) -> set[str]:
        return {
            name for name in names if Path(folder, name) in unused or any(fnmatch(name, item) for item in LEFT_OUT)
        }

    return rule


def compiled_modules(folder: Path) -> Iterator[Path]:
    """Yield compiled modules; not the libraries that a wheel carries, which its builder has patched."""
    for file in (*folder.rglob("*.so"), *folder.rglob("libpython3.*.so.*")):
        if not file.parent.name.endswith(".libs"):
            yield file


def needed_libraries(root: Path) -> Iterator[Path]:
    """Yield the libraries of this machine that a program or library of the image loads."""
    files = [file for file in root.rglob("*") if re.search(r"\.so(\.|$)|/bin/python3\.\d+$", str(file))]
    for file in files:
        stdout = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False).stdout
        for path in re.findall(r"(/\S+) \(0x", stdout):
            if not Path(path).is_relative_to(root):
                yield Path(path)


def named_libraries() -> Iterator[Path]:
    """Yield the libraries that are opened by name."""
    stdout = subprocess.run([str(LDCONFIG), "-p"], capture_output=True, text=True, check=True).stdout
    for name in LOADED_BY_NAME:
        hits = re.search(rf"^\s*{re.escape(name)} .*=> (\S+)$", stdout, re.MULTILINE)
        if hits:
            yield Path(hits[1])


def add_user(root: Path) -> None:
    """Add the user that the product runs as, and a folder for temporary files."""
    (root / "etc/passwd").write_text(f"rememora:x:{USER}:{USER}::{HOME}:/nonexistent\n", encoding="utf-8")
    (root / "etc/group").write_text(f"rememora:x:{USER}:\n", encoding="utf-8")
    temporary = root / "tmp"
    temporary.mkdir(exist_ok=True)
    temporary.chmod(0o1777)


def size_of(root: Path) -> int:
    """Return the bytes of all files, as an engine counts those of an image."""
    return sum(file.lstat().st_size for file in root.rglob("*") if file.is_file() and not file.is_symlink())


if __name__ == "__main__":
    sys.exit(main())
