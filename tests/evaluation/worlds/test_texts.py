"""Messages and names are compared by what they say: other words pass, other meanings do not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.reply.stems import stems
from ossia_evaluation.worlds.texts import same_message, same_thing

SAME_MESSAGES = [
    ("i will be late", "I'll be late."),
    ("i'll be late", "I will be late!"),
    ("i'm on my way", "I am on my way"),
    ("we're almost there", "we are almost there"),
    ("i've sent the report", "I have sent the report"),
    ("i can't make it tonight", "I cannot make it tonight"),
    ("i can't make it tonight", "I can not make it tonight."),
    ("don't forget the cake", "do not forget the cake"),
    ("it won't rain", "It will not rain."),
    ("let's meet at noon", "Let us meet at noon"),
    ("i'm gonna be home soon", "I'm going to be home soon"),
    ("dinner is ready", "Dinner is ready!"),
    ("dinner is ready", "Hi! Dinner is ready. Thanks!"),
    ("dinner is ready", "Hello mom, dinner is ready."),
    ("dinner is ready", "supper is ready"),
    ("happy birthday", "Happy Birthday!"),
    ("happy birthday", "happy bday"),
    ("the meeting starts at nine", "The meeting begins at 9"),
    ("the meeting starts at nine", "the appointment starts at nine"),
    ("meet me at 3 pm", "Please meet me at three pm"),
    ("bring two bottles of water", "bring 2 bottles of water"),
    ("please buy milk and eggs", "buy eggs and milk"),
    ("please buy milk and eggs", "Could you please buy milk and eggs? Thank you!"),
    ("pick up the kids at four", "pick up the children at 4"),
    ("i am sick today", "I am ill today"),
    ("the movie was great", "The film was fantastic"),
    ("thanks for the flowers", "thank you for the flowers"),
    ("the report is finished", "Dear Sarah,\n\nThe report is finished.\n\nBest regards"),
    ("call me when you arrive", "Call me when you arrive, please."),
    ("running late", "I am running late"),
    ("where are you", "Where are you right now?"),
    ("the package has arrived", "package has arrived"),
    ("see you on friday", "See you on Friday! Looking forward to it."),
    ("i got the tickets", "I got the tickets, see you soon"),
    ("it's raining", "It is raining"),
    ("that's fine with me", "That is fine with me."),
    ("i will be 10 minutes late", "I'll be ten minutes late"),
    ("the car is in the garage", "The automobile is in the garage"),
    ("we are moving to the new house in june", "In June we are moving to the new house"),
    ("you were right about the recipe", "You were right about the recipe!"),
    ("don\u2019t wait for me", "Don't wait for me"),
]

OTHER_MESSAGES = [
    ("i will be late", "i will not be late"),
    ("i will be late", "I won't be late"),
    ("i won't be late", "I will be late"),
    ("i can come to dinner", "I can't come to dinner"),
    ("i never liked the plan", "i liked the plan"),
    ("we need help", "we need no help"),
    ("i will come with the kids", "i will come without the kids"),
    ("i love the plan", "i hate the plan"),
    ("i like your idea", "I dislike your idea"),
    ("i will be early", "i will be late"),
    ("call me before lunch", "call me after lunch"),
    ("the shop opens at nine", "the shop closes at nine"),
    ("please buy the car", "please sell the car"),
    ("we won the game", "we lost the game"),
    ("the meeting starts at nine", "the meeting ends at nine"),
    ("i accept the offer", "i decline the offer"),
    ("it is hot outside", "it is cold outside"),
    ("turn the volume up", "turn the volume down"),
    ("it was a good trip", "it was a bad trip"),
    ("i owe you ten dollars", "you owe me ten dollars"),
    ("i will call you", "you will call me"),
    ("i forgot your book", "you forgot my book"),
    ("i am proud of you", "you are proud of me"),
    ("i lost my keys", "you lost your keys"),
    ("she has the keys", "he has the keys"),
    ("meet me at 3 pm", "meet me at 4 pm"),
    ("meet me at 3:30", "meet me at 3:45"),
    ("bring two bottles of water", "bring three bottles of water"),
    ("i will be 10 minutes late", "i will be 20 minutes late"),
    ("i will be 10 minutes late", "i will be late"),
    ("see you on friday", "see you on monday"),
    ("see you tomorrow", "see you today"),
    ("dinner is in the evening", "dinner is in the morning"),
    ("we meet in june", "we meet in july"),
    ("the car is in the garage", "the car is in the driveway"),
    ("please buy milk", "please buy penguins"),
    ("i got the tickets", "i got the flowers"),
    ("call the doctor", "call the lawyer"),
    ("sarah will pick us up", "peter will pick us up"),
    ("dinner is ready", "dinner"),
    ("dinner is ready", "ready or not, here I come"),
    ("dinner is ready", ""),
    ("", "dinner is ready"),
    ("happy birthday", "happy new year"),
    ("i finished the report", "i finished the homework"),
    ("turn it on", "turn it off"),
    ("i am on it", "you are on it"),
    ("i agree", "I disagree"),
    ("i am happy", "I am unhappy"),
    ("the door is locked", "the door is unlocked"),
    ("nobody came", "everybody came"),
    ("they won", "we won"),
    ("come at 8:00", "come at 8:30"),
    ("call me", "call him"),
    ("the first of may", "the last of may"),
    ("i quit", "I don't quit"),
    ("my brother is ill", "my sister is ill"),
    ("chess is in the news", "is there any news about chess?"),
    ("dinner is at eight", "is dinner at eight?"),
    ("meet me at the old school", "meet me at the new school"),
    ("the train is late", "the plane is late"),
]


@pytest.mark.parametrize(("gold", "actual"), SAME_MESSAGES)
def test_a_message_in_other_words_is_the_same(gold, actual):
    assert same_message(gold, actual)


@pytest.mark.parametrize(("gold", "actual"), OTHER_MESSAGES)
def test_a_message_with_another_meaning_is_another(gold, actual):
    assert not same_message(gold, actual)


SAME_THINGS = [
    ("milk", "Milk"),
    ("milk", "a bottle of milk"),
    ("milk", "2 cartons of milk"),
    ("butter", "some butter"),
    ("the groceries", "groceries"),
    ("shopping", "shopping list"),
    ("shopping list", "Shopping"),
    ("dentist", "dentist appointment"),
    ("dentist appointment", "the dentist"),
    ("team meeting", "Meeting with the team"),
    ("yoga", "yoga event"),
    ("movie night", "film night"),
    ("mom's birthday", "Mum's birthday"),
    ("eggs", "egg"),
    ("eggs", "a dozen eggs"),
    ("bread", "one loaf of bread"),
    ("work party", "party at work"),
    ("pick up the kids", "pick up kids"),
    ("to do", "To-Do"),
    ("tomatoes", "tomato"),
    ("doctor's appointment", "appointment with the doctor"),
    ("call the bank", "call bank"),
]

OTHER_THINGS = [
    ("butter", "peanut butter"),
    ("peanut butter", "butter"),
    ("milk", "fake milk"),
    ("milk", "milk chocolate"),
    ("milk", "almond milk"),
    ("milk", "eggs"),
    ("milk", ""),
    ("", "milk"),
    ("dentist", "doctor"),
    ("dentist", "fake dentist"),
    ("lunch with sarah", "lunch with peter"),
    ("lunch with sarah", "lunch"),
    ("lunch", "dinner"),
    ("mom's birthday", "dad's birthday"),
    ("shopping", "packing"),
    ("two bottles of milk", "three bottles of milk"),
    ("apples", "pineapples"),
    ("call the bank", "rob the bank"),
    ("team meeting", "board meeting"),
    ("red wine", "white wine"),
    ("yoga", "yoga mat"),
    ("concert", "concert tickets"),
]


@pytest.mark.parametrize(("gold", "actual"), SAME_THINGS)
def test_a_name_in_other_words_is_the_same(gold, actual):
    assert same_thing(gold, actual)


@pytest.mark.parametrize(("gold", "actual"), OTHER_THINGS)
def test_another_name_is_another_thing(gold, actual):
    assert not same_thing(gold, actual)


@pytest.mark.parametrize(
    ("gold", "actual", "heard"),
    [
        ("lunch", "lunch with sarah", "put lunch with sarah into my calendar"),
        ("meeting", "budget meeting", "i have a meeting about the budget"),
        ("milk", "almond milk", "add milk to my list, the almond one"),
    ],
)
def test_a_name_may_hold_more_of_what_the_user_said(gold, actual, heard):
    assert same_thing(gold, actual, stems(heard))
    assert not same_thing(gold, actual, stems("something else"))


@pytest.mark.parametrize("text", ["", "!!!", "i am on it", "\u2019", "no", "3", "can't", "'s"])
def test_small_texts_are_the_same_as_themselves(text):
    assert same_message(text, text)
    assert same_thing(text, text)


WORDS = (
    "dinner table report friday train garden ticket the a in at and is was will bring buy sarah"
    " kitchen seven 4 12:30 nine i you my your he she they we love late early up down open good"
    " with before happy meeting can would please"
).split()
"""Words of messages, without a negation among them."""

messages = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@given(st.text())
def test_every_message_is_the_same_as_itself(text):
    assert same_message(text, text)


@given(st.text())
def test_every_name_is_the_same_as_itself(text):
    assert same_thing(text, text)


@given(messages)
def test_a_greeting_keeps_a_message_the_same(text):
    assert same_message(text, f"Hi! {text}")


@given(messages, st.integers(0, 12))
def test_a_message_that_is_negated_is_another(text, place):
    words = text.split()
    changed = " ".join((*words[:place], "not", *words[place:]))
    assert not same_message(text, changed)
    assert not same_message(changed, text)


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(first, second):
    assert same_message(first, second) in (True, False)
    assert same_thing(first, second) in (True, False)


@given(st.text())
def test_not_before_a_text_without_negation_is_another_text(text):
    if not re.search(r"no|nt|n't|never|hardly|nei", text.casefold()):
        assert not same_message(text, f"not {text}")
