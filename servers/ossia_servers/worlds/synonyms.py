"""Words that mean the same: one table for every field in which the servers look things up.

Each entry is the word that the servers use and, behind it, the others for it, parted by `|`. Plural
forms need no entry. What is said of people and of rooms of the house has a table here as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, eq=False, slots=True)
class Synonyms:
    """Words of one field that mean the same."""

    table: Mapping[str, str]
    """The other words for each of the servers' words, parted by `|`."""

    def others(self) -> dict[str, str]:
        """Return the other words, each with the word that the servers use."""
        return {other: word for word, text in self.table.items() for other in text.split("|")}


EVERYWHERE: Final = Synonyms(
    {
        "airplane": "aeroplane",
        "birthday": "bday|b day",
        "catalog": "catalogue",
        "center": "centre",
        "checkers": "draughts",
        "color": "colour",
        "cozy": "cosy",
        "doctor": "dr|physician",
        "donut": "doughnut",
        "father": "dad|daddy|papa",
        "favorite": "favourite|fave",
        "flavor": "flavour",
        "football": "soccer",
        "grandfather": "grandpa|granddad|grandad",
        "grandmother": "grandma|granny|nana",
        "gray": "grey",
        "harbor": "harbour",
        "humor": "humour",
        "jewelry": "jewellery",
        "kid": "child|children|kiddie",
        "latest": "newest|most recent|most recently",
        "mother": "mom|mum|mommy|mama",
        "movie": "film|motion picture|flick",
        "neighbor": "neighbour",
        "pajama": "pyjama",
        "phone": "telephone|cellphone|cell phone|mobile phone|smartphone",
        "photo": "photograph|picture|pic|snapshot",
        "plow": "plough",
        "program": "programme",
        "recipe": "receipe",
        "television": "tv|telly|tv set|t v|television set",
        "theater": "theatre",
        "to do": "todo",
        "trash": "rubbish|garbage|bin",
        "umbrella": "brolly",
        "vacuum": "hoover|vacuum cleaner|vacuuming|hoovering",
        "yogurt": "yoghurt",
    }
)
"""Words that mean the same whatever is spoken about."""

FOOD: Final = Synonyms(
    {
        "arugula": "rocket salad",
        "barbecue": "bbq|barbeque",
        "biryani": "biriyani",
        "chili": "chilli|chile",
        "cilantro": "coriander",
        "easy": "simple|effortless|beginner|basic|uncomplicated",
        "eggplant": "aubergine",
        "hamburger": "burger|beefburger|beef burger",
        "macaroni": "mac",
        "omelette": "omelet",
        "quick": "fast|speedy|rapid|quickest|fastest",
        "shrimp": "prawn",
        "vegetarian": "meatless|veggie|meat free|meat less|no meat|without meat",
        "zucchini": "courgette",
    }
)
"""What is cooked and eaten, and how."""

TOPICS: Final = Synonyms(
    {
        "action": "action packed",
        "animation": "animated|cartoon|anime",
        "comedy": "funny|humorous|comedic|hilarious|comic",
        "crime": "true crime|detective",
        "documentary": "factual",
        "family": "family friendly",
        "horror": "scary|frightening|spooky",
        "musical": "singalong",
        "romance": "romantic|love story|romcom",
        "sci fi": "science fiction|scifi",
        "sport": "sporting",
        "technology": "tech",
        "thriller": "suspense|thrilling",
    }
)
"""What movies, events, books and podcasts are about."""

PLACES: Final = Synonyms(
    {
        "cinema": "movie theater|movie house|picture house",
        "gas station": "petrol station|filling station",
        "hair salon": "hairdresser",
        "pharmacy": "chemist|drugstore|drug store",
        "supermarket": "grocery store|grocery shop",
    }
)
"""Kinds of places to go to."""

GAMES: Final = Synonyms(
    {
        "blackjack": "black jack|twenty one|21",
        "checkers": "draughts|checker",
        "clue": "cluedo",
        "connect four": "four in a row|connect 4",
        "pac man": "pacman",
        "solitaire": "patience|klondike",
        "tic tac toe": "noughts and crosses|naughts and crosses|tick tack toe|x and o",
        "twenty questions": "20 question",
    }
)
"""Games."""

DEVICES: Final = Synonyms(
    {
        "bedside": "bed|nightstand|night stand|night table",
        "ceiling": "overhead|main|top|chandelier",
        "christmas": "xmas|x mas",
        "coffee machine": "coffee maker|coffee pot|espresso machine",
        "floor lamp": "standing lamp|standing light|floor light",
        "lamp": "lightbulb",
        "socket": "outlet|receptacle",
        "speaker": "loudspeaker|loud speaker|smart speaker|radio|stereo|hi fi|hifi|boombox",
        "string lights": "fairy light|string light",
        "vacuum": "roomba|robovac|robot vacuum",
        "washing machine": "washer|laundry machine|clothes washer",
        "water heater": "geyser|boiler|immersion heater",
    }
)
"""Devices of the house."""

ROOMS: Final = Synonyms(
    {
        "attic": "loft",
        "balcony": "terrace|roof terrace",
        "basement": "cellar|downstairs cellar",
        "bathroom": "restroom|washroom|toilet|bath|shower|loo|lavatory|wc|powder room|bath room",
        "bedroom": "master bedroom|bed room|main bedroom|sleeping room",
        "dining room": "dining area|diningroom",
        "garage": "carport|car port",
        "garden": "yard|backyard|back yard|lawn|back garden|front garden",
        "guest room": "guest bedroom|spare room|spare bedroom|guestroom|visitors room",
        "hallway": "hall|corridor|entrance|entryway|stairs|staircase|foyer|lobby|landing",
        "kids room": (
            "kid's room|kids' room|kid room|children's room|childrens room|childrens' room"
            "|children room|child's room|nursery|playroom|play room|kids bedroom|kids' bedroom"
            "|kid's bedroom|children's bedroom|childrens bedroom|baby's room|baby room"
        ),
        "kitchen": "kitchenette|galley",
        "laundry room": "utility room|laundry|wash room",
        "living room": (
            "lounge|den|sitting room|family room|front room|tv room|livingroom|television room"
            "|parlor|parlour|drawing room"
        ),
        "office": "study|home office|work room|workroom|study room",
        "porch": "patio|veranda|verandah|front door|front porch|deck",
    }
)
"""Rooms of the house, as they are said: these are looked for in the text as it is."""
