"""What the user was told of a change is judged by rules: a table for each rule."""

import pytest

from ossia_evaluation.reply.judge import judge_report

from .scenes import EMAIL, LAMP, LOUDER, MILK, REMOVED, WAKE, cases

REPORTS_ACCEPTED = {
    "done": [
        (WAKE, "Done."),
        (WAKE, "Okay, all set!"),
        (WAKE, "I set your alarm for 7:30 tomorrow morning."),
        (WAKE, "Your alarm will ring tomorrow at half past seven."),
        (EMAIL, "I emailed Sarah that dinner is at 7."),
        (EMAIL, "The email to Sarah Johnson is on its way."),
        (EMAIL, "Sent!"),
        (MILK, "I added milk to your shopping list."),
        (MILK, "Milk is on your shopping list now."),
        (MILK, "Sure, I put milk on the list."),
        (LAMP, "The kitchen light is off."),
        (LAMP, "I turned off the light in the kitchen."),
        (LAMP, "I've switched the kitchen light off."),
        (LOUDER, "The kitchen speaker is 20 percent louder."),
        (LOUDER, "I turned the volume up by 20 percent in the kitchen."),
    ],
    "denials": [
        (WAKE, "No problem, your alarm is set for 7:30."),
        (MILK, "Don't worry, milk is on your list."),
        (REMOVED, "I removed the eggs; they are no longer on your list."),
        (REMOVED, "The eggs are removed, so there are no eggs on your shopping list now."),
    ],
    "claims": [
        (WAKE, "I have set an alarm for 7:30 tomorrow morning."),
        (EMAIL, "I've let Sarah know that dinner is at 7."),
        (EMAIL, "I sent an email to Sarah Johnson: dinner is at 7."),
        (MILK, "I have added milk to your shopping list."),
        (REMOVED, "I removed eggs from the shopping list."),
        (REMOVED, "I crossed eggs off your list."),
    ],
    "values": [
        (WAKE, "Alarm set: Saturday, 14 March, 07:30."),
        (WAKE, "I'll wake you at 7:30 AM on March 14, 2026."),
        (EMAIL, "I told Sarah that dinner's at seven o'clock."),
        (LOUDER, "The kitchen speaker is twenty percent louder."),
    ],
    "names": [
        (EMAIL, "Your email to Sarah is sent."),
        (MILK, "Your shopping list has eggs and milk."),
        (LAMP, "I've switched off the ceiling light in your kitchen."),
    ],
    "opposites": [
        (LAMP, "The kitchen lamp is switched off."),
        (LOUDER, "It is louder in the kitchen now."),
        (REMOVED, "Eggs are off your shopping list."),
    ],
    "the servers' words": [
        (done, " ".join(done.said)) for done in (WAKE, EMAIL, MILK, REMOVED, LAMP, LOUDER)
    ],
    "chat": [
        (WAKE, "I will wake you at 07:30. Sleep well!"),
        (EMAIL, "Great, I sent Sarah the email. Enjoy!"),
        (MILK, "Milk is on your list. Anything else?"),
    ],
}

REPORTS_REFUSED = {
    "nothing": [(WAKE, ""), (EMAIL, "  "), (MILK, "\n")],
    "denials": [
        (WAKE, "Sorry, I could not set the alarm."),
        (WAKE, "Your alarm was not set."),
        (EMAIL, "I emailed Sarah that dinner is not at 7."),
        (EMAIL, "Sarah hasn't received it."),
        (REMOVED, "There were no eggs on your list, so there was nothing to remove."),
        (WAKE, "You already have an alarm at 7:30, nothing to do."),
        (EMAIL, "I couldn't reach Sarah."),
        (EMAIL, "The email failed."),
        (EMAIL, "I saved the email to Sarah as a draft."),
        (MILK, "Milk was already there."),
        (MILK, "There is no shopping list."),
        (LAMP, "The kitchen light is still on."),
        (LAMP, "The kitchen light could not be turned off."),
        (REMOVED, "I was unable to remove the eggs."),
        (REMOVED, "The eggs are still there."),
        (EMAIL, "Shall I send the email to Sarah?"),
        (MILK, "Would you like me to put milk on the shopping list?"),
    ],
    "claims": [
        (WAKE, "I set your alarm and sent Sarah an email."),
        (WAKE, "Your alarm is set and I booked a taxi."),
        (EMAIL, "I emailed Sarah and added dinner to your calendar."),
        (MILK, "Milk is on your list, and I ordered it too."),
        (LAMP, "The kitchen light is off and I posted that."),
        (MILK, "I cleared the list and put milk on it; I deleted all other items."),
    ],
    "values": [
        (WAKE, "Your alarm is set for 8:30."),
        (WAKE, "I will wake you at 7:30 on Sunday."),
        (WAKE, "You have an alarm at 7:30 tomorrow and one at 9."),
        (WAKE, "Your alarm is set for 7:45 tomorrow."),
        (EMAIL, "I told Sarah that dinner is at 9."),
        (LOUDER, "The kitchen speaker is 80 percent louder."),
        (MILK, "I put 12 bottles of milk on your shopping list."),
    ],
    "names": [
        (EMAIL, "I emailed Peter Miller that dinner is at 7."),
        (EMAIL, "The email to Ben is sent."),
        (EMAIL, "I emailed Sarah Miller."),
        (EMAIL, "I emailed Sarah and Peter Miller."),
        (MILK, "I put milk and bread on your shopping list."),
        (LAMP, "The kitchen fan is off."),
        (EMAIL, "I emailed your brother that dinner is at 7."),
        (MILK, "I put bread on your shopping list."),
        (MILK, "I put milk on your packing list."),
        (LAMP, "The bedroom light is off."),
        (LAMP, "I turned off the oven in the kitchen."),
    ],
    "opposites": [
        (LAMP, "The kitchen light is on."),
        (LAMP, "I turned on the kitchen light; it is now on."),
        (LAMP, "I switched the kitchen light on."),
        (LOUDER, "The kitchen speaker is now 20 percent softer."),
        (LOUDER, "I made the kitchen speaker quieter."),
        (LAMP, "The kitchen ceiling light was switched on."),
        (LOUDER, "It is quieter now."),
    ],
    "all instead of one": [
        (REMOVED, "I removed all items from your shopping list."),
        (REMOVED, "Every item of your shopping list is removed."),
        (REMOVED, "All eggs and everything on each list are gone."),
    ],
    "something else": [
        (WAKE, "Penguins swim fast."),
        (MILK, "Elephants never forget."),
        (LAMP, "Bananas."),
    ],
}


@pytest.mark.parametrize(("done", "reply"), cases(REPORTS_ACCEPTED))
def test_a_report_is_accepted(done, reply):
    found = judge_report(reply, done)
    assert found.accepted, found


@pytest.mark.parametrize(("done", "reply"), cases(REPORTS_REFUSED))
def test_a_report_is_refused(done, reply):
    found = judge_report(reply, done)
    assert not found.accepted, found
    assert found.reason
