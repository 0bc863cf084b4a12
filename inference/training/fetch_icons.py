"""Symbols for the tool bars of the screen generator from Debian's icon themes, without installing them: fetch_icons.py DIR

Writes DIR/THEME/NAME.png; the theme whose folder begins with "eval-" is shown on held-out screens only. Needs dpkg, apt and rsvg-convert.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PACKAGES = ("adwaita-icon-theme", "mate-icon-theme", "elementary-xfce-icon-theme", "tango-icon-theme", "breeze-icon-theme", "gnome-icon-theme",
            "lxde-icon-theme", "papirus-icon-theme")
THEMES = {"adwaita": "Adwaita", "mate": "mate", "xfce": "elementary-xfce", "tango": "Tango", "breeze": "breeze", "gnome": "gnome",
          "eval-nuovext": "nuoveXT2", "papirus": "Papirus"}
NAMES = {
    "document-new": "new", "document-open": "open", "document-save": "save", "document-save-as": "save as", "document-print": "print",
    "document-print-preview": "print preview", "document-properties": "properties", "document-open-recent": "recent", "document-revert": "revert",
    "document-export": "export", "document-import": "import", "document-send": "send", "edit-undo": "undo", "edit-redo": "redo", "edit-cut": "cut",
    "edit-copy": "copy", "edit-paste": "paste", "edit-delete": "delete", "edit-clear": "clear", "edit-find": "find", "edit-find-replace": "replace",
    "edit-select-all": "select all", "go-previous": "back", "go-next": "forward", "go-up": "up", "go-down": "down", "go-home": "home",
    "go-first": "first", "go-last": "last", "go-top": "top", "go-bottom": "bottom", "go-jump": "jump", "view-refresh": "refresh",
    "process-stop": "stop", "list-add": "add", "list-remove": "remove", "zoom-in": "zoom in", "zoom-out": "zoom out", "zoom-fit-best": "best fit",
    "zoom-original": "normal size", "format-text-bold": "bold", "format-text-italic": "italic", "format-text-underline": "underline",
    "format-justify-left": "align left", "format-justify-center": "align center", "format-justify-right": "align right",
    "format-indent-more": "indent", "format-indent-less": "unindent", "help-about": "about", "help-contents": "help", "window-close": "close",
    "window-new": "new window", "tab-new": "new tab", "folder-new": "new folder", "system-run": "run", "system-shutdown": "shut down",
    "system-log-out": "log out", "system-lock-screen": "lock", "system-search": "search", "media-playback-start": "play",
    "media-playback-pause": "pause", "media-skip-forward": "next", "media-skip-backward": "previous", "media-record": "record",
    "media-seek-forward": "fast forward", "media-seek-backward": "rewind", "mail-send": "send mail", "mail-reply-sender": "reply",
    "mail-forward": "forward mail", "bookmark-new": "bookmark", "view-fullscreen": "full screen", "view-sort-ascending": "sort",
    "insert-image": "insert image", "insert-link": "link", "object-rotate-left": "rotate left", "object-rotate-right": "rotate right",
    "contact-new": "new contact", "appointment-new": "new appointment", "call-start": "call", "tools-check-spelling": "spelling",
    "user-trash": "trash", "folder": "folder", "user-desktop": "desktop", "preferences-system": "settings", "dialog-information": "info",
    "dialog-warning": "warning", "utilities-terminal": "terminal"}


def rank(path):
    """Pictures of about 32 px first, whole pictures before outlines."""
    size = re.search(r"(?:^|[x/])(\d+)(?:x\d+)?/", str(path))
    return "symbolic" in str(path), path.suffix != ".png", abs(int(size.group(1)) - 32) if size else 99, str(path)


def main(out):
    out = pathlib.Path(out).resolve()
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["apt-get", "download", *PACKAGES], cwd=work, check=True, stdout=subprocess.DEVNULL)
        for package in pathlib.Path(work).glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, work], check=True)
        collect(pathlib.Path(work) / "usr/share/icons", out)


def collect(icons, out):
    for name, folder in THEMES.items():
        (out / name).mkdir(parents=True, exist_ok=True)
        count = 0
        for source, meaning in NAMES.items():
            found = [p for ending in (".png", ".svg", "-symbolic.svg") for p in (icons / folder).rglob(source + ending) if p.exists()]
            if not found:
                continue
            count += 1
            best, target = min(found, key=rank), out / name / f"{meaning}.png"
            if best.suffix == ".png":
                target.write_bytes(best.read_bytes())
            else:
                subprocess.run(["rsvg-convert", "-w", "32", "-h", "32", "-o", target, best], check=True)
        print(name, count)


if __name__ == "__main__":
    main(*sys.argv[1:])
