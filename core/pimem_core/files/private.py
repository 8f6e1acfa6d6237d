"""What only this user may have written: pimem acts on such files alone."""

from __future__ import annotations

import os
import stat

#: Rights of others to write.
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def not_ours(path: str, *, follow: bool = False) -> str | None:
    """Why what a file or folder holds cannot be taken for our own, of "it"; None when it can.

    It must belong to this user, or the superuser, and be closed to others' writing. What is not
    there is nobody's, and fine. Nothing inside is looked at.
    """
    try:
        status = os.stat(path, follow_symlinks=follow)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return f"it cannot be looked at: {error.strerror}"
    if stat.S_ISLNK(status.st_mode):
        return "it is a symbolic link"
    if status.st_uid not in (os.geteuid(), 0):
        return "it belongs to another user"
    if status.st_mode & _OTHERS:
        return "it can be written by others"
    return None


def folder_not_ours(state_dir: str, name: str) -> str | None:
    """The same for a folder of the state; the state folder itself may be a link of the person's."""
    above = not_ours(state_dir, follow=True)
    if above is not None:
        return above.replace("it", state_dir, 1)
    return not_ours(os.path.join(state_dir, name))
