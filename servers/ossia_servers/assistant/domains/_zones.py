"""Time zones by place and by name, with their summer times.

The rules are kept here rather than taken from the machine, so that every machine gives the same
answer. They are those in force in 2026.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from ossia_dataset.normalise import normalise_place, spoken_number
from ossia_dataset.normalise.holidays import nth_weekday

_MON, _THU, _FRI, _SUN = 0, 3, 4, 6
_HOUR: Final = timedelta(hours=1)

Turn = Callable[[int, int], datetime]
"""Year and standard offset in minutes to the moment of a change of the clocks, in standard time."""


def _turn(month: int, weekday: int, count: int, hour: int, *, days: int = 0) -> Turn:
    def at(year: int, offset: int) -> datetime:
        day = nth_weekday(year, month, weekday, count) + timedelta(days=days)
        return datetime.combine(day, time()) + timedelta(hours=hour)

    return at


def _turn_utc(month: int, count: int) -> Turn:
    """The European way: everywhere at one o'clock of universal time."""

    def at(year: int, offset: int) -> datetime:
        day = nth_weekday(year, month, _SUN, count)
        return datetime.combine(day, time(1)) + timedelta(minutes=offset)

    return at


def _turn_from(month: int, day: int, hour: int) -> Turn:
    """On the first sunday from a day of the month on."""

    def at(year: int, offset: int) -> datetime:
        first = date(year, month, day)
        sunday = first + timedelta(days=(_SUN - first.weekday()) % 7)
        return datetime.combine(sunday, time()) + timedelta(hours=hour)

    return at


_SUMMER: Final[Mapping[str, tuple[Turn, Turn]]] = {
    "us": (_turn(3, _SUN, 2, 2), _turn(11, _SUN, 1, 1)),
    "eu": (_turn_utc(3, -1), _turn_utc(10, -1)),
    "au": (_turn(10, _SUN, 1, 2), _turn(4, _SUN, 1, 2)),
    "nz": (_turn(9, _SUN, -1, 2), _turn(4, _SUN, 1, 2)),
    "cl": (_turn_from(9, 2, 0), _turn_from(4, 2, -1)),
    "cu": (_turn(3, _SUN, 2, 0), _turn(11, _SUN, 1, 0)),
    "il": (_turn(3, _SUN, -1, 2, days=-2), _turn(10, _SUN, -1, 1)),
    "lb": (_turn(3, _SUN, -1, 0), _turn(10, _SUN, -1, -1)),
    "eg": (_turn(4, _FRI, -1, 0), _turn(10, _THU, -1, 23)),
}


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone.

    Attributes:
        name: What people call it, such as "Eastern Time".
        offset: Minutes ahead of universal time in winter.
        summer: Which rule of summer time holds; empty for none.
    """

    name: str
    offset: int
    summer: str = ""

    def to_utc(self, local: datetime) -> datetime:
        """Turn a local time into universal time; an hour that comes twice means the first."""
        hour = _HOUR if self._is_summer(local - _HOUR) else timedelta()
        return local - timedelta(minutes=self.offset) - hour

    def from_utc(self, moment: datetime) -> datetime:
        """Turn universal time into local time."""
        standard = moment + timedelta(minutes=self.offset)
        return standard + _HOUR if self._is_summer(standard) else standard

    def _is_summer(self, standard: datetime) -> bool:
        if not self.summer:
            return False
        start, end = (turn(standard.year, self.offset) for turn in _SUMMER[self.summer])
        if start < end:
            return start <= standard < end
        return not end <= standard < start


UTC: Final = Zone("Universal Time", 0)


# A state or country of several zones means that of most of it, or of its capital.
_REGIONS: Final = (
    (
        Zone("Eastern Time", -300, "us"),
        "Connecticut,Delaware,Florida,Georgia,Indiana,Kentucky,Maine,Maryland,Massachusetts,"
        "Michigan,New Hampshire,New Jersey,New York,North Carolina,Ohio,Pennsylvania,Rhode Island,"
        "South Carolina,Vermont,Virginia,West Virginia,District of Columbia,Ontario,Quebec,"
        "Canada,United States",
    ),
    (
        Zone("Central Time", -360, "us"),
        "Alabama,Arkansas,Illinois,Iowa,Kansas,Louisiana,Minnesota,Mississippi,Missouri,Nebraska,"
        "North Dakota,Oklahoma,South Dakota,Tennessee,Texas,Wisconsin,Manitoba",
    ),
    (Zone("Mountain Time", -420, "us"), "Colorado,Idaho,Montana,New Mexico,Utah,Wyoming,Alberta"),
    (Zone("Pacific Time", -480, "us"), "California,Nevada,Oregon,Washington,British Columbia"),
    (Zone("Mountain Standard Time", -420), "Arizona"),
    (Zone("Alaska Time", -540, "us"), "Alaska"),
    (Zone("Hawaii Time", -600), "Hawaii"),
    (Zone("Atlantic Time", -240, "us"), "Nova Scotia"),
    (
        Zone("Central Standard Time", -360),
        "Mexico,Costa Rica,Guatemala,El Salvador,Honduras,Nicaragua,Saskatchewan",
    ),
    (Zone("Cuba Time", -300, "cu"), "Cuba"),
    (Zone("Andean Time", -300), "Jamaica,Panama,Colombia,Peru,Ecuador"),
    (Zone("Venezuela Time", -240), "Venezuela,Bolivia,Puerto Rico"),
    (Zone("Chile Time", -240, "cl"), "Chile"),
    (Zone("Brasilia Time", -180), "Brazil,Argentina,Uruguay,Paraguay"),
    (
        Zone("British Time", 0, "eu"),
        "United Kingdom,England,Scotland,Wales,Northern Ireland,Ireland",
    ),
    (Zone("Western European Time", 0, "eu"), "Portugal"),
    (UTC, "Iceland,Ghana,Senegal"),
    (
        Zone("Central European Time", 60, "eu"),
        "France,Germany,Spain,Italy,Switzerland,Austria,Belgium,Netherlands,Luxembourg,Denmark,"
        "Norway,Sweden,Poland,Czech Republic,Slovakia,Hungary,Serbia,Croatia,Slovenia",
    ),
    (
        Zone("Eastern European Time", 120, "eu"),
        "Finland,Greece,Romania,Bulgaria,Ukraine,Estonia,Latvia,Lithuania",
    ),
    (Zone("Turkey Time", 180), "Turkey"),
    (Zone("Moscow Time", 180), "Russia,Belarus"),
    (Zone("Egypt Time", 120, "eg"), "Egypt"),
    (Zone("Israel Time", 120, "il"), "Israel"),
    (Zone("Lebanon Time", 120, "lb"), "Lebanon"),
    (Zone("Libya Time", 120), "Libya"),
    (Zone("West Africa Time", 60), "Nigeria,Algeria,Tunisia,Morocco"),
    (Zone("South Africa Time", 120), "South Africa,Zimbabwe"),
    (Zone("East Africa Time", 180), "Kenya,Ethiopia,Tanzania,Uganda"),
    (Zone("Arabia Time", 180), "Saudi Arabia,Iraq,Qatar,Kuwait,Yemen,Jordan,Syria"),
    (Zone("Gulf Time", 240), "United Arab Emirates,Oman"),
    (Zone("Iran Time", 210), "Iran"),
    (Zone("Afghanistan Time", 270), "Afghanistan"),
    (Zone("Pakistan Time", 300), "Pakistan,Uzbekistan,Kazakhstan"),
    (Zone("India Time", 330), "India,Sri Lanka"),
    (Zone("Nepal Time", 345), "Nepal"),
    (Zone("Bangladesh Time", 360), "Bangladesh"),
    (Zone("Myanmar Time", 390), "Myanmar"),
    (Zone("Indochina Time", 420), "Thailand,Vietnam,Cambodia,Laos,Indonesia"),
    (
        Zone("China Time", 480),
        "China,Taiwan,Singapore,Malaysia,Philippines,Mongolia,Western Australia",
    ),
    (Zone("Japan Time", 540), "Japan,South Korea,North Korea"),
    (Zone("Queensland Time", 600), "Queensland"),
    (Zone("Australian Eastern Time", 600, "au"), "Australia,New South Wales,Victoria,Tasmania"),
    (Zone("Central Australian Time", 570, "au"), "South Australia"),
    (Zone("New Zealand Time", 720, "nz"), "New Zealand"),
    (Zone("Fiji Time", 720), "Fiji"),
)
# Cities that keep the time of another region than the one around them.
_ELSEWHERE: Final[Mapping[str, str]] = {
    "El Paso, Texas": "Colorado",
    "Knoxville, Tennessee": "Ohio",
    "Vancouver, Canada": "British Columbia",
    "Calgary, Canada": "Alberta",
    "Edmonton, Canada": "Alberta",
    "Winnipeg, Canada": "Manitoba",
    "Halifax, Canada": "Nova Scotia",
    "Cancun, Mexico": "Panama",
    "Tijuana, Mexico": "California",
    "Bali, Indonesia": "China",
    "Perth, Australia": "Western Australia",
    "Brisbane, Australia": "Queensland",
    "Adelaide, Australia": "South Australia",
}
_BY_REGION: Final = {
    region.casefold(): zone for zone, names in _REGIONS for region in names.split(",")
}
_BY_PLACE: Final = {
    **_BY_REGION,
    **{city.casefold(): _BY_REGION[region.casefold()] for city, region in _ELSEWHERE.items()},
}

# Names of zones, without "time", "standard" and the like; a region stands for its zone.
_NAMES: Final[Mapping[str, str]] = {
    "new york": "eastern,est,edt,et,east coast,us eastern,american eastern",
    "illinois": "central,cst,cdt,ct,us central,midwest",
    "colorado": "mountain,mst,mdt,mt,us mountain,rocky mountain",
    "california": "pacific,pst,pdt,pt,west coast,us pacific",
    "alaska": "akst,akdt,alaskan",
    "hawaii": "hst,hawaiian",
    "nova scotia": "atlantic,ast,adt",
    "england": "british,bst,uk",
    "portugal": "western european,wet",
    "germany": "central european,cet,cest,middle european,european",
    "greece": "eastern european,eet,eest",
    "russia": "msk",
    "united arab emirates": "gulf,gst",
    "india": "indian,ist",
    "japan": "japanese,jst",
    "china": "chinese",
    "singapore": "sgt",
    "australia": "australian eastern,aest,aedt,aet",
    "western australia": "australian western,awst",
    "new zealand": "nzst,nzdt",
}
_BY_NAME: Final = {
    **{
        name: _BY_REGION[region] for region, names in _NAMES.items() for name in names.split(",")
    },
    **dict.fromkeys(
        ("utc", "gmt", "zulu", "universal", "greenwich", "greenwich mean", "universal coordinated",
         "coordinated universal", "z"), UTC,
    ),
}  # fmt: skip
_SURPLUS = re.compile(
    r"\b(?:time|times|zone|zones|timezone|standard|daylight|savings?|the|in|of|us|united states|"
    r"american?|usa|current|right|now)\b"
)
_SHIFTED = re.compile(r"(?:utc|gmt)\s*(?P<sign>[+-]|plus|minus)\s*(?P<hours>[\w ]+)")
_HERE: Final = frozenset({"", "here", "local", "my", "mine", "our", "home", "my local"})
_MAX_SHIFT_HOURS: Final = 14


def zone_of_place(place: str) -> Zone | None:
    """Return the zone of a city, state or country in normal form, or None where it is unknown."""
    city, _, region = place.casefold().partition(", ")
    return _BY_PLACE.get(place.casefold()) or _BY_PLACE.get(region) or _BY_PLACE.get(city)


def zone_of_name(name: str, home: str) -> Zone | None:
    """Return the zone that a name means ("g. m. t.", "eastern", "utc plus two", "tokyo time").

    Args:
        name: words of a user.
        home: the home location in normal form, for "here" and "my time".

    Returns:
        The zone, or None where the name is unknown.
    """
    flat = re.sub(r"\b(\w)\. ?(?=\w\b)", r"\1", name.casefold()).replace(".", "")
    shifted = _SHIFTED.fullmatch(flat.strip())
    if shifted is not None:
        return _shifted(shifted["sign"], shifted["hours"])
    bare = " ".join(_SURPLUS.sub(" ", flat).split())
    if bare in _HERE:
        return zone_of_place(home) or UTC
    return _BY_NAME.get(bare) or zone_of_place(normalise_place(bare, home))


def _shifted(sign: str, text: str) -> Zone | None:
    hours = spoken_number(text)
    if hours is None or not 0 <= hours <= _MAX_SHIFT_HOURS:
        return None
    minutes = round(hours * 60) * (-1 if sign in ("-", "minus") else 1)
    return Zone(f"UTC{minutes / 60:+g}", minutes)
