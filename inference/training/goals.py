"""One-line goals and the next action for them: on one screen, over two screens of an episode, and goals without a screen."""
from dialect import call
from questions import centre, describe, middle, pick_target, quoted

KEYS = [("save", "ctrl+s"), ("copy", "ctrl+c"), ("paste", "ctrl+v"), ("undo", "ctrl+z"), ("select all", "ctrl+a"), ("find", "ctrl+f"),
        ("print", "ctrl+p"), ("close the tab", "ctrl+w"), ("quit", "ctrl+q"), ("open a new tab", "ctrl+t"), ("go back", "alt+left")]
NAMED_KEYS = ["Enter", "Escape", "Tab", "Delete", "Backspace", "Home", "End", "Page Down", "Page Up", "F1", "F5", "F11", "Up", "Down"]
FUNCTION_KEYS = [f"F{n}" for n in range(1, 13)]
JOINED_KEYS = ["Tab", "Enter", "Delete", "Backspace", "Home", "End", "Page Down", "Page Up", "Up", "Down", "Left", "Right", "Space", "Escape"]
MODIFIERS = [["Ctrl"], ["Ctrl"], ["Ctrl", "Shift"], ["Alt"], ["Alt"], ["Shift"], ["Ctrl", "Alt"]]
APPLICATIONS = ["Calculator", "Text Editor", "Terminal", "File Manager", "Web Browser", "Mail", "Music Player", "Image Viewer", "Settings",
                "Spreadsheet", "Calendar", "Notes", "Document Viewer", "Task Manager", "Archive Manager", "Paint", "Clock"]
DONE = "Done."


def point_call(name, box, **more):
    x, y = centre(box)
    return call(name, x=x, y=y, **more)


def click(box, **more):
    return point_call("click", box, **more)


def chord(text):
    parts = text.replace(" ", "_").lower().split("+")
    return "+".join(parts)


def press(random):
    """(goal, call) for a key or chord."""
    if random.random() < 0.35:
        name, keys = random.choice(KEYS)
        return random.choice([f"Press the shortcut to {name}", f"Use the keyboard to {name}"]), call("key", keys=keys)
    if random.random() < 0.4:
        key = random.choice(NAMED_KEYS + FUNCTION_KEYS)
        return random.choice(["Press {}", "Hit {}", "Press the {} key"]).format(key), call("key", keys=chord(key))
    key = random.choice([random.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), random.choice(FUNCTION_KEYS), random.choice(JOINED_KEYS)])
    text = "+".join(random.choice(MODIFIERS) + [key])
    return random.choice(["Press {}", "Use {}", "Hit {}"]).format(text), call("key", keys=chord(text))


def uncapitalised(random, goal):
    """Some goals are written without the capital letter, as the steps of a plan are."""
    return goal[0].lower() + goal[1:] if random.random() < 0.25 else goal


def act(scene, random, training=False):
    """A goal that one action on this screen fulfils: (goal, answer, label)."""
    found = pick_target(scene, random, active=True, training=training)
    if not found:
        return None
    name, item, how = found
    label = {"task": "act", "how": how, "box": item["box"], "kind": item["kind"], "seen_at": middle(item["box"])}
    kind = item["kind"]
    if kind in ("check box", "radio button") and random.random() < 0.6:
        on = random.random() < 0.5
        goal = random.choice(["Turn on {}", "Check {}", "Enable {}"] if on else ["Turn off {}", "Uncheck {}", "Disable {}"]).format(name)
        if bool(item.get("checked")) == on:
            return goal, DONE, {"task": "already"}
        return goal, click(item["box"]), label
    choice = random.random()
    if choice < 0.62:
        verb = {"menu": ["Open {}", "Click {}"], "tab": ["Go to {}", "Click {}"], "combo box": ["Open {}", "Click {}"], "text field": ["Click {}", "Click into {}"],
                "task button": ["Switch to {}", "Click {}"], "desktop icon": ["Click {}", "Select {}"]}.get(kind, ["Click {}", "Click {}", "Press {}", "Click on {}"])
        return random.choice(verb).format(name), click(item["box"]), label
    if choice < 0.74:
        return random.choice(["Double-click {}", "Double click {}"]).format(name), click(item["box"], count=2), {**label, "op": "double"}
    if choice < 0.86:
        return random.choice(["Right-click {}", "Open the context menu of {}"]).format(name), click(item["box"], button="right"), {**label, "op": "right"}
    if choice < 0.93:
        other = pick_target(scene, random, active=True)
        if other and other[1] is not item:
            to_x, to_y = centre(other[1]["box"])
            return f"Drag {name} to {other[0]}", point_call("drag", item["box"], to_x=to_x, to_y=to_y), {"task": "drag", "box": item["box"], "to": other[1]["box"]}
    down = random.random() < 0.6
    goal = random.choice(["Scroll {} at {}", "Scroll {} over {}"]).format("down" if down else "up", name)
    return goal, point_call("scroll", item["box"], dy="3" if down else "-3"), {**label, "op": "scroll"}


def type_into(scene, random, text):
    """Typing needs the focus first."""
    if not scene.fields:
        return None
    focused = [field for field in scene.fields if field[0].get("focused")]
    item, name = random.choice(focused or scene.fields)
    if item["kind"] != "text field" or item.get("disabled"):
        return None
    goal = random.choice(["Type {1} into {0}", "Enter {1} in {0}", "Set {0} to {1}", "Put {1} into the {0} field"]).format(quoted(random, name), f'"{text}"')
    if item.get("focused"):
        return goal, call("type", text=text), {"task": "type", "text": text}
    return goal, click(item["box"]), {"task": "act", "how": "field", "box": item["box"], "kind": "text field", "seen_at": middle(item["box"])}


def infeasible(scene, random, texts):
    for _ in range(5):
        text = texts(random)
        if text.lower() not in scene.texts and text not in APPLICATIONS:
            goal = random.choice(["Click {}", "Press {}", "Open {}", "Turn on {}", "Double-click {}", "Right-click {}"]).format(quoted(random, text))
            return goal, call("give_up", reason=f"There is no {text} here."), {"task": "give_up"}
    return None


def simple_step(random, texts):
    """(words, call or None) of a step for compound goals without a screen."""
    kind = random.randrange(8)
    if kind == 0:
        return f"click {texts(random)}"
    if kind == 1:
        return f'type "{texts(random)}"'
    if kind == 2:
        return random.choice(["press {}", "hit {}"]).format(random.choice(["Enter", "Escape", "Tab", "Ctrl+S", "Ctrl+C", "Ctrl+V", "F5", "Alt+F4", "Ctrl+Shift+T", "Ctrl+A", "Alt+Tab", "Ctrl+End"]))
    if kind == 3:
        return random.choice(["open {}", "start {}"]).format(random.choice(APPLICATIONS))
    if kind == 4:
        return random.choice(["double-click {}", "right-click {}", "select {}", "close {}"]).format(texts(random))
    if kind == 5:
        return random.choice(["scroll down", "scroll up", "wait 2 seconds", "wait 5 seconds"])
    if kind == 6:
        return f"read {random.randrange(1000):03d} {random.randrange(1000):03d}"
    return random.choice(["turn on {}", "turn off {}", "drag {} to the trash", "choose {} from the menu"]).format(texts(random))


def split(random, texts):
    """A compound request becomes a plan."""
    steps = [simple_step(random, texts) for _ in range(random.randint(2, 5))]
    style = random.randrange(4)
    if style == 0:
        text = ", then ".join(steps)
    elif style == 1:
        text = ", ".join(steps[:-1]) + " and " + steps[-1]
    elif style == 2:
        text = "; ".join(steps)
    else:
        text = "first " + steps[0] + "".join(f", then {step}" for step in steps[1:-1]) + ", finally " + steps[-1]
    goal = text[0].upper() + text[1:]
    prefix = random.choice(["Plan: ", "Make a plan: ", "Split into steps: "])
    return prefix + (goal if random.random() < 0.5 else text), call("plan", steps=steps), {"task": "split"}


def shell(random, files, texts):
    """(goal, command, output, answer): questions about files that the shell answers."""
    name, number = files(random), random.randint(0, 9999) if random.random() < 0.5 else random.randint(0, 60)
    folder = texts(random).split()[0].lower()
    word = texts(random).split()[0]
    options = [
        (["How many lines has {n}?", "How many lines are in {n}?", "Count the lines of {n}"], f"wc -l {name}", f"{number} {name}", f"{name} has {number} lines."),
        (["How many words has {n}?", "Count the words in {n}"], f"wc -w {name}", f"{number} {name}", f"{name} has {number} words."),
        (["How big is {n}?", "What is the size of {n}?", "How many bytes has {n}?"], f"stat -c %s {name}", f"{number}", f"{name} has {number} bytes."),
        (["How many files are in {f}?", "Count the files in the folder {f}"], f"ls {folder} | wc -l", f"{number}", f"There are {number} files in {folder}."),
        (["What is the first line of {n}?", "Show me the first line of {n}"], f"head -n 1 {name}", texts(random), None),
        (["What is the last line of {n}?", "Show the last line of {n}"], f"tail -n 1 {name}", texts(random), None),
        (["How often does {w} occur in {n}?", "How many lines of {n} contain {w}?"], f"grep -c {word} {name}", f"{number}", f"{number} lines of {name} contain {word}."),
        (["Does {n} exist?", "Is there a file {n}?"], f"ls {name}", random.choice([name, f"ls: cannot access '{name}': No such file or directory"]), None),
        (["In which folder am I?", "What is the current folder?"], "pwd", f"/home/{folder}", f"You are in /home/{folder}."),
        (["What is in {n}?", "Show me {n}", "Print {n}"], f"cat {name}", texts(random), None),
        (["List the files in {f}", "What is in the folder {f}?"], f"ls {folder}", "\n".join(files(random) for _ in range(random.randint(1, 4))), None),
    ]
    goals, command, output, answer = random.choice(options)
    if answer is None:
        answer = output
        if command.startswith("ls ") and command.endswith(name):
            answer = f"No, there is no {name}." if "cannot access" in output else f"Yes, {name} exists."
    return random.choice(goals).format(n=name, f=folder, w=word), command, output, answer


def ask(random, texts):
    goal, question = random.choice([
        ("Type my password into {}", "What is your password for {}?"), ("Log in to {}", "Which user name and password for {}?"),
        ("Send the mail to {}", "What is the address of {}?"), ("Buy {}", "May I spend money on {}?"), ("Save it as usual in {}", "Under which name in {}?"),
        ("Rename {}", "What should {} be called?"), ("Delete one of {}", "Which one of {}?")])
    text = texts(random)
    return goal.format(text), call("ask", question=question.format(text)), {"task": "ask"}


def other(random, texts, seen):
    """Waiting, typing where the focus is, starting applications; seen: the texts on the screen, which "Open" could mean too."""
    kind = random.random()
    if kind < 0.3:
        n = random.randint(1, 20)
        return random.choice([f"Wait {n} seconds", f"Wait for {n} seconds"]), call("wait", seconds=n), {"task": "wait"}
    if kind < 0.5:
        text = texts(random)
        return random.choice(["Type {}", "Type {}", "Write {}"]).format(f'"{text}"'), call("type", text=text), {"task": "type", "text": text}
    name = random.choice(APPLICATIONS) if random.random() < 0.8 else texts(random)
    goals = ["Start {}", "Start {}", "Launch {}", "Start the application {}"]
    if name in APPLICATIONS and not any(name.lower() in text for text in seen):
        goals += ["Open {}"] * 4
    return random.choice(goals).format(name), call("open", application=name), {"task": "open"}
