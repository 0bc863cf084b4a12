"""Symbols for the tool bars of the screen generator from Debian's icon themes, without installing them: fetch_icons.py DIR

Writes DIR/THEME/NAME.png; the theme whose folder begins with "eval-" is shown on held-out screens only. Needs dpkg, apt, rsvg-convert,
python3-pil and python3-numpy.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

PACKAGES = ("adwaita-icon-theme", "mate-icon-theme", "elementary-xfce-icon-theme", "tango-icon-theme", "breeze-icon-theme", "gnome-icon-theme",
            "lxde-icon-theme", "papirus-icon-theme", "oxygen-icon-theme", "numix-icon-theme", "elementary-icon-theme", "faenza-icon-theme", "yaru-theme-icon",
            "suru-icon-theme", "faba-icon-theme", "deepin-icon-theme", "mint-y-icons", "obsidian-icon-theme")
THEMES = {"adwaita": "Adwaita", "mate": "mate", "xfce": "elementary-xfce", "tango": "Tango", "breeze": "breeze", "gnome": "gnome",
          "eval-nuovext": "nuoveXT2", "papirus": "Papirus", "oxygen": "oxygen", "numix": "Numix", "elementary": "elementary", "faenza": "Faenza", "yaru": "Yaru",
          "suru": "suru", "faba": "Faba", "deepin": "bloom", "mint": "Mint-Y", "obsidian": "Obsidian"}
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
TRAINING_NAMES = {  # the held-out theme keeps the names above, so that the examination stays what it was
    "dialog-error": "error", "dialog-password": "password", "mail-message-new": "new mail",
    "mail-reply-all": "reply to all", "mail-mark-junk": "junk", "call-stop": "hang up", "media-eject": "eject", "audio-volume-high": "volume",
    "audio-volume-muted": "mute", "audio-input-microphone": "microphone", "network-wireless": "wireless", "printer": "printer",
    "drive-harddisk": "hard disk", "computer": "computer", "input-keyboard": "keyboard", "input-mouse": "mouse", "video-display": "display",
    "camera-photo": "camera", "phone": "phone", "accessories-calculator": "calculator", "accessories-text-editor": "text editor", "web-browser": "web browser",
    "x-office-calendar": "calendar", "x-office-address-book": "contacts", "x-office-spreadsheet": "spreadsheet", "x-office-presentation": "presentation",
    "image-x-generic": "picture", "audio-x-generic": "music", "video-x-generic": "video", "package-x-generic": "package", "text-x-generic": "text file",
    "object-flip-horizontal": "flip horizontally", "object-flip-vertical": "flip vertically", "format-text-strikethrough": "strikethrough",
    "format-justify-fill": "justify", "media-playlist-shuffle": "shuffle", "media-playlist-repeat": "repeat", "system-software-update": "update",
    "system-users": "users", "emblem-favorite": "favorite", "face-smile": "smile", "weather-clear": "sunny", "weather-storm": "storm",
    "view-restore": "restore", "view-sort-descending": "sort descending", "applications-games": "games", "battery": "battery", "bluetooth": "bluetooth"}


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
        files, held_out = {}, name.startswith("eval-")
        for path in (icons / folder).rglob("*"):
            if path.suffix in (".png", ".svg") and path.exists():
                files.setdefault(path.stem.removesuffix("-symbolic"), []).append(path)
        for source, meaning in NAMES.items() if held_out else (NAMES | TRAINING_NAMES).items():
            if source in files:
                write(min(files[source], key=rank), out / name / f"{meaning}.png", held_out)
        print(name, len(list((out / name).iterdir())))


def write(source, target, held_out):
    if source.suffix == ".png":
        target.write_bytes(source.read_bytes())
    else:
        subprocess.run(["rsvg-convert", "-w", "32", "-h", "32", "-o", target, source], check=True)
    if not held_out and not can_be_seen(target):
        target.unlink()


def can_be_seen(path):
    """Neither next to empty nor a plain light grey, as symbols for dark panels are."""
    pixels = np.asarray(Image.open(path).convert("RGBA")).reshape(-1, 4)
    ink = pixels[pixels[:, 3] > 100, :3]
    return len(ink) > 0.02 * len(pixels) and not (ink.mean() > 160 and ink.std() < 25)


if __name__ == "__main__":
    main(*sys.argv[1:])
