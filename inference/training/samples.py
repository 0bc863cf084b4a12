"""From generator scenes to training samples: one conversation of fixed length per scene."""
import random as random_module

import goals
import questions
from dialect import Conversation, call
from goals import DONE, click
from questions import Scene, describe, middle, quoted
from scenes import SIZES, USUAL_SIZE
from tokens import IMAGE, VIDEO

LENGTH_ONE = 1280  # tokens of a conversation with one picture
LENGTH_TWO = 1536  # with two pictures
LENGTH_LARGE = 1984  # with a picture of 1344×756
ACKNOWLEDGED = ["", "", "", "", "ok", "done", "unverifiable", "confirmed"]  # "no-op" instead of the last when nothing changed


class Pool:
    """Texts of recent scenes: for typing, for what is not there, for goals without a screen."""

    def __init__(self, training=False):
        self.training = training  # more of what is hard, and some texts that are no words, so that copying means copying
        self.texts, self.files = ["Save"], ["notes.txt"]

    def feed(self, labels, random):
        words = [i["text"] for i in labels["items"] if i.get("text") and len(i["text"]) < 28 and "…" not in i["text"]]
        self.texts = (self.texts + random.sample(words, min(4, len(words))))[-300:]
        files = [w for w in words + [t for t, *_ in labels["runs"]] if "." in w[1:-1] and " " not in w and len(w) < 24 and "/" not in w]
        self.files = (self.files + files[:2])[-120:]

    def text(self, random):
        if self.training and random.random() < 0.15:
            return odd_text(random)
        return random.choice(self.texts)

    def file(self, random):
        return random.choice(self.files)


LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIGNS = "-_./:+*=@#%&!?,()"


def odd_text(random):
    """Words, numbers and signs that mean nothing."""
    words = []
    for _ in range(random.choice([1, 1, 1, 2, 2, 3, 4])):
        kind = random.random()
        if kind < 0.25:
            word = str(random.randrange(10 ** random.randint(1, 6)))
        else:
            word = "".join(random.choice(LETTERS) for _ in range(random.randint(1, 9)))
            word = word.upper() if kind < 0.35 else word.capitalize() if kind < 0.6 else word
        if random.random() < 0.2:
            word += random.choice(SIGNS) + "".join(random.choice(LETTERS + "0123456789") for _ in range(random.randint(1, 5)))
        words.append(word)
    return " ".join(words)


ASKED = ("where", "read", "act", "state", "what", "absent", "type", "give_up", "closer")
WEIGHTS = {"training": (34, 28, 22, 18, 6, 3, 4, 3, 8), "exam": (22, 32, 18, 11, 6, 3, 4, 3, 0), "closer": (8, 70, 0, 14, 4, 0, 0, 0, 0)}


def one_question(scene, random, pool, closer=False):
    """(question or goal, answer, label) about one screen, or None. closer: it is a closer look; else reading is at a glance."""
    if not closer and scene.can_type and random.random() < 0.12:
        return goals.type_into(scene, random, pool.text(random))
    kind = random.choices(ASKED, WEIGHTS["closer" if closer else "training" if pool.training else "exam"])[0]
    if kind in ("read", "state"):
        turn = (questions.read if kind == "read" else questions.state)(scene, random, pool.training)
        return (questions.at_a_glance(turn[0]), *turn[1:]) if turn and not closer and turn[2]["task"] in ("read", "value") else turn
    if kind == "closer":
        turn = (questions.read if random.random() < 0.7 else questions.state)(scene, random, pool.training)
        if not turn or turn[2]["task"] not in ("read", "value") or not fits(turn[2]["box"]):
            return None
        return closer_call(turn[0], turn[2]["box"], turn[2].get("asked", middle(turn[2]["box"])))
    if kind == "where":
        return questions.where(scene, random, pool.training)
    if kind == "act":
        return goals.act(scene, random, pool.training)
    if kind == "what":
        return questions.what(scene, random)
    if kind == "absent":
        return questions.absent(scene, random, pool.text)
    if kind == "type":
        return goals.type_into(scene, random, pool.text(random))
    return goals.infeasible(scene, random, pool.text)


def fits(box):
    """Whether a closer look shows all of it; what is wider is read from the whole screen."""
    return box[2] <= questions.WIDTH / 2


def closer_call(question, box, point):
    x, y = questions.place(*point)
    return question, call("zoom", x=x, y=y), {"task": "zoom", "box": box, "seen_at": point}


def without_screen(random, pool, seen=()):
    kind = random.choices(["press", "split", "ask", "other"], [4, 4, 1, 2])[0]
    if kind == "press":
        goal, answer = goals.press(random)
        return goal, answer, {"task": "press"}
    if kind == "split":
        return goals.split(random, pool.text)
    if kind == "ask":
        return goals.ask(random, pool.text)
    return goals.other(random, pool.text, seen)


def wording(random, turn):
    """How the user writes it: goals sometimes without a capital letter."""
    goal = turn[2]["task"] in ("act", "already", "drag", "press", "type", "open", "wait", "give_up")
    return goals.uncapitalised(random, turn[0]) if goal else turn[0]


def add_shell(conversation, random, pool):
    goal, command, output, answer = goals.shell(random, pool.file, pool.text)
    conversation.user(goal)
    conversation.assistant(call("shell", command=command), {"task": "shell"})
    conversation.tool(output)
    conversation.assistant(answer, {"task": "shell answer"})


def one_screen(tokenizer, labels, random, pool, length=LENGTH_ONE, size=USUAL_SIZE):
    """Many turns about one picture."""
    scene = Scene(labels["first"], random)
    conversation = Conversation(tokenizer, size)
    first, failures, seen = True, 0, set()
    if random.random() < 0.25:  # the screen does not always come first
        for _ in range(random.randint(1, 6)):
            if len(conversation) > length - conversation.image_tokens - 324:
                break  # the picture and a question about it must still fit
            if random.random() < 0.5:
                add_shell(conversation, random, pool)
            else:
                turn = without_screen(random, pool, scene.texts)
                conversation.user(wording(random, turn))
                conversation.assistant(turn[1], turn[2])
    while failures < 12:
        draw = random.random()
        if not first and draw < 0.05:
            added = lambda: add_shell(conversation, random, pool)
        else:
            turn = without_screen(random, pool, scene.texts) if draw < 0.14 else one_question(scene, random, pool)
            if turn is None:
                failures += 1
                continue
            asked = (turn[2]["task"], str(turn[2].get("box")))
            if asked in seen and "box" in turn[2]:  # the answer would stand in the conversation already
                failures += 1
                continue
            seen.add(asked)
            words = wording(random, turn)
            added = lambda: (conversation.user(words, IMAGE if first else None), conversation.assistant(turn[1], turn[2]))
        mark = conversation.mark()
        added()
        if len(conversation) <= length:
            first = False
        else:
            conversation.back_to(mark)
            failures += 4
    if first:  # an empty desktop
        just_look(conversation)
    return conversation


def episode_goal(event, item, second, random, pool):
    """(goal, first call, answer after the second screen) for what really happened."""
    name = describe(random, item) if item.get("text") else f"the {item['icon']} icon" if item.get("icon") else f"the {item['kind']}"
    if item["kind"] == "window button":
        name = f"the {item['icon']} button of {quoted(random, item.get('title', ''))}"
    first = click(item["box"])
    effect, op = event["effect"], event["op"]
    if op == "double_click":
        first = click(item["box"], count=2)
    elif op == "right_click":
        first = click(item["box"], button="right")
    elif op == "type":
        first = call("type", text=event["text"])
    elif op == "scroll":
        first = goals.point_call("scroll", item["box"], dy=event["amount"])
    if op == "scroll":
        goal = f"Scroll {'down' if event['amount'] > 0 else 'up'} with {name}"
    elif op == "type":
        goal = random.choice(["Type {}", "Write {}", "Enter {}"]).format(f'"{event["text"]}"')
    elif op == "double_click":
        goal = random.choice(["Double-click {}", "Open {}"]).format(name) if item["kind"] == "desktop icon" else f"Double-click {name}"
    elif op == "right_click":
        goal = random.choice(["Right-click {}", "Open the context menu of {}"]).format(name)
    elif effect == "window closed" and item["kind"] == "window button" and item["icon"] == "close":
        goal = random.choice([f"Close {quoted(random, item.get('title', ''))}", f"Click {name}"])
    elif effect == "toggled":
        goal = random.choice(["Turn off {}" if item.get("checked") else "Turn on {}", "Click {}"]).format(name)
    else:
        goal = random.choice(["Click {}", "Press {}", "Click {}"]).format(name)
    if effect == "none" and item["kind"] != "button":
        return goal, first, first  # nothing happened: once more
    popup = [i for i in second.items if i["kind"] in ("menu item", "list item") and i["layer"] == max(j["layer"] for j in second.items) and i.get("text") and not i.get("disabled")]
    if effect in ("menu opened", "popup opened", "choices opened") and popup and random.random() < 0.75:
        chosen = random.choice(popup)
        words = quoted(random, chosen["text"])
        goal = {"menu opened": [f"Choose {words} from {name}", f"Open {name} and click {words}"], "popup opened": [f"Choose {words} from the context menu of {name}"],
                "choices opened": [f"Set {name} to {words}", f"Choose {words} in {name}"]}[effect]
        return random.choice(goal), first, click(chosen["box"])
    if effect == "focused" and random.random() < 0.75:
        text = pool.text(random)
        return random.choice([f'Type "{text}" into {name}', f'{goal} and type "{text}"']), first, call("type", text=text)
    if random.random() < 0.4:
        follow = goals.act(second, random)
        if follow and follow[1] != DONE:
            step = follow[0][0].lower() + follow[0][1:]
            return random.choice([f"{goal}, then {step}", f"{goal} and {step}", f"First {goal[0].lower() + goal[1:]}, then {step}"]), first, follow[1]
    return goal, first, DONE


def changed(event, random):
    if event["effect"] == "none":
        return "No."
    detail = f": {event['detail']}" if event["detail"] else ""
    return f"Yes, {event['effect']}{detail}."


def two_screens(tokenizer, labels, random, pool, length=LENGTH_TWO):
    """One step of an episode: screen, action, screen, next action; then questions about the new screen."""
    first, second, event = Scene(labels["first"], random), Scene(labels["second"], random), labels["event"]
    conversation = Conversation(tokenizer)
    if event["item"] >= 0:
        item = labels["first"]["items"][event["item"]]
        goal, action, answer = episode_goal(event, item, second, random, pool)
        conversation.user(goals.uncapitalised(random, goal), IMAGE)
        conversation.assistant(action, {"task": "step 1", "box": item["box"], "op": event["op"], "seen_at": middle(item["box"])})
        said = random.choice(ACKNOWLEDGED)
        conversation.tool("no-op" if said == "confirmed" and event["effect"] == "none" else said, IMAGE)
        conversation.assistant(answer, {"task": "step 2", "effect": event["effect"], "answer": answer})
        conversation.user(random.choice(["Did the screen change?", "Did the last action change the screen?"]))
        conversation.assistant(changed(event, random), {"task": "changed"})
    else:
        just_look(conversation)
        conversation.tool("", IMAGE)
    fill(conversation, second, random, pool, length)
    return conversation


def large_screen(tokenizer, labels, random, pool):
    return one_screen(tokenizer, labels, random, pool, LENGTH_LARGE, SIZES["large"])


def clip_question(tokenizer, labels, random, pool, length=LENGTH_ONE):
    """Before and after as the two frames of one video slot."""
    event = labels["event"]
    conversation = Conversation(tokenizer)
    conversation.user(random.choice(["Did the screen change?", "What changed?"]), VIDEO)
    conversation.assistant(changed(event, random), {"task": "changed in clip"})
    fill(conversation, Scene(labels["second"], random), random, pool, length - 300)
    return conversation


def closer_screen(tokenizer, labels, random, pool, length=LENGTH_ONE):
    """A closer look by itself: the whole screen is no longer in the conversation."""
    scene = Scene(labels["first"], random)
    look = questions.CloserLook(labels["zoom"], scene, random, pool.training)
    conversation = Conversation(tokenizer)
    if look.text:
        ask_closely(conversation, look, scene, look.question(random), None)
    else:
        just_look(conversation)
    fill(conversation, scene, random, pool, length, closer=bool(look.text), known=look.text)
    return conversation


def screen_and_closer(tokenizer, labels, random, pool, length=LENGTH_TWO):
    """A question, the whole screen, the call for a closer look, its picture and the answer; then more about that picture."""
    whole, scene = Scene(labels["first"], random), Scene(labels["second"], random)
    look = questions.CloserLook(labels["zoom"], scene, random, pool.training)
    wide = [text for text, box, _ in whole.runs if box == look.target and not fits(box)]
    conversation = Conversation(tokenizer)
    if look.text and not wide:
        ask_closely(conversation, look, scene, look.question(random, whole), IMAGE)
    else:
        if wide:
            conversation.user(look.question(random), IMAGE)
            conversation.assistant(wide[0], {"task": "read closely", "box": look.target, **whole.spelled(wide[0], look.target)})
        else:
            just_look(conversation)
        just_look(conversation)
    fill(conversation, scene, random, pool, length, closer=bool(look.text and not wide), known=look.text)
    return conversation


def ask_closely(conversation, look, scene, question, picture):
    """The question, the call for a closer look, what the tool answers, what is read there."""
    _, answer, label = closer_call(question, look.target, look.asked)
    conversation.user(question, picture)
    conversation.assistant(answer, label)
    conversation.tool(look.point(), IMAGE)
    conversation.assistant(look.text, {"task": "read closely", "box": look.target, **scene.spelled(look.text, look.box)})


def just_look(conversation):
    conversation.user("Look.", IMAGE)
    conversation.assistant("ok")


def fill(conversation, scene, random, pool, length, closer=False, known=None):
    """known: a text that was read already"""
    failures, seen = 0, set()
    while failures < 8:
        turn = one_question(scene, random, pool, closer)
        asked = turn and (turn[2]["task"], str(turn[2].get("box")))
        if turn is None or (asked in seen and "box" in turn[2]) or turn[1] == known:
            failures += 1
            continue
        seen.add(asked)
        mark = conversation.mark()
        conversation.user(wording(random, turn))
        conversation.assistant(turn[1], turn[2])
        if len(conversation) > length:
            conversation.back_to(mark)
            return


def seeded(seed):
    return random_module.Random(seed)
