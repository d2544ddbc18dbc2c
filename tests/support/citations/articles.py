"""Thirty short articles: what each says, what it does not, and what stands only in a title or reference."""

from typing import NamedTuple


class Article(NamedTuple):
    """An article of two pages, and three claims for which it might be cited."""

    title: str
    fact: str
    """The sentence of its results that carries ``said``."""
    said: str
    off: str
    """Something else about the same: another number, the contrary, another place, or more than it says."""
    only: str
    """It stands in the article's title, or in that of a work that it lists, and nowhere else."""

    @property
    def is_titled(self) -> bool:
        """Whether ``only`` is its own title."""
        return self.title == self.only.rstrip(".")

    @property
    def body(self) -> str:
        """The text in the language of typst; the fact stands on the second page."""
        listed = "A note on methods" if self.is_titled else self.only.rstrip(".")
        return _BODY.format(fact=self.fact.replace("%", "\\%"), listed=listed)


_BODY = """\
= Introduction
Much has been written on this question, and little of it was counted. We begin with what can be seen in
the records, and leave the rest to those who know the places. Earlier reports differ in their methods, so
that their figures cannot be put side by side.

= Methods
The records were read twice, by two people who did not know of each other. Where they differed, a third
person decided. All entries before the year of the flood were left out, for their hand is hard to read.
Missing months were not replaced. The code and the tables lie in a public archive.

#pagebreak()
= Results
Of all entries, a few could not be dated. {fact} The second reading gave the same picture. No entry was
left out after the tables were closed.

= Discussion
It has often been asked whether such records can be trusted at all. We think that they can, within the
bounds that were named above. A larger archive would allow us to look at each season by itself.

= References
Abel, J. K. (2001). {listed}. _Journal of Records_, 3(2), 11–19.

Brown, K. L. (2003). Reading old hands. _Journal of Records_, 5(1), 21–39.

Crewe, M. (2010). Two readers and a third. _Archive Studies_, 9(4), 101–120.
"""

ARTICLES = (
    Article(
        "Milk and its price in mountain dairies",
        "In mountain dairies the price of milk rose by 14% after the road was opened.",
        "The price of milk in mountain dairies rose by 14 % once the road was opened.",
        "The price of milk in mountain dairies rose by 41 % after the road was opened.",
        "Alpine cows give richer milk in autumn.",
    ),
    Article(
        "Night trains empty the hotels of border towns",
        "Hotels near the station kept their guests when the line was electrified.",
        "Hotels near the station kept guests when the line was electrified.",
        "Hotels near the station lost their guests when the line was electrified.",
        "Night trains empty the hotels of border towns.",
    ),
    Article(
        "Lamps in the harbour of Bergen",
        "Brighter lamps reduced collisions in the harbour by a third.",
        "Collisions in the harbour were reduced by a third by brighter lamps.",
        "Brighter lamps increased collisions in the harbour.",
        "Fog bells fail in strong wind.",
    ),
    Article(
        "Heather honey resists fermentation in the comb",
        "Beekeepers moved their hives to heather in August, on average for 23 days.",
        "Beekeepers moved hives to the heather in August.",
        "Beekeepers moved their hives to the heather in May.",
        "Heather honey resists fermentation in the comb.",
    ),
    Article(
        "Debt and schooling in three ports",
        "Sons of sailors left school two years earlier than sons of clerks.",
        "Sons of sailors left school two years earlier than sons of clerks.",
        "Sons of clerks left school two years earlier than sons of sailors.",
        "Literacy in ports depends on the clergy.",
    ),
    Article(
        "Tile stoves halve the use of firewood",
        "Households with a second chimney bought more coal in cold winters.",
        "In cold winters, households with a second chimney bought more coal.",
        "Households with a second chimney bought less coal in cold winters.",
        "Tile stoves halve the use of firewood.",
    ),
    Article(
        "Vaccination days and market days",
        "More children were vaccinated on market days than on Sundays.",
        "More children were vaccinated on market days than on Sundays.",
        "All children were vaccinated on market days.",
        "Measles returns where nurses are few.",
    ),
    Article(
        "Copper roofs poison the rain barrels below them",
        "Slate roofs lasted 90 years in this climate.",
        "In this climate slate roofs lasted ninety years.",
        "Slate roofs lasted 60 years in this climate.",
        "Copper roofs poison the rain barrels below them.",
    ),
    Article(
        "Ferries and the wool trade",
        "The ferry of 1868 doubled the trade in wool within four years.",
        "Trade in wool doubled within four years of the ferry of 1868.",
        "Trade in wool doubled within nine years of the ferry of 1868.",
        "Sheep graze the dunes bare.",
    ),
    Article(
        "Choirs keep dialects alive in the valleys",
        "Choirs in the valleys met weekly, and most singers were over fifty.",
        "Choirs in the valleys met weekly.",
        "Choirs in the plains met weekly.",
        "Choirs keep dialects alive in the valleys.",
    ),
    Article(
        "Apprentices and their masters",
        "Apprentices who lived with their master did not earn less than others.",
        "Apprentices who lived with their master did not earn less.",
        "Apprentices who lived with their master earned less than others.",
        "Guild exams exclude the sons of migrants.",
    ),
    Article(
        "Salt marsh grass stops the retreat of the shore",
        "Storms moved the sand bar forty metres to the north.",
        "Storms moved the sand bar to the north by 40 metres.",
        "Storms moved the sand bar forty metres to the south.",
        "Salt marsh grass stops the retreat of the shore.",
    ),
    Article(
        "Wells, pumps and cholera",
        "Deaths from cholera fell once the pump in Broad Lane was closed.",
        "Deaths from cholera fell once the pump in Broad Lane was closed.",
        "Deaths from cholera fell once the pump in Mill Lane was closed.",
        "Boiled water ends dysentery in camps.",
    ),
    Article(
        "Rye bread shortens the hungry months",
        "Millers paid the toll in grain until the mill was sold.",
        "Until the mill was sold, millers paid the toll in grain.",
        "Millers paid the toll in silver coin until the mill was sold.",
        "Rye bread shortens the hungry months.",
    ),
    Article(
        "Counting starlings from the tower",
        "Starlings returned to the tower eleven days earlier than in the reports of 1950.",
        "Starlings returned to the tower eleven days earlier than in 1950.",
        "Starlings returned to the tower eleven days later than in the reports of 1950.",
        "Swifts abandon restored churches.",
    ),
    Article(
        "Street trees calm the traffic of narrow lanes",
        "Drivers slowed down where the kerb had been widened.",
        "Where the kerb had been widened, drivers slowed down.",
        "Drivers did not slow down where the kerb had been widened.",
        "Street trees calm the traffic of narrow lanes.",
    ),
    Article(
        "Letters home from the mines",
        "Miners sent home a quarter of their wages in the first year.",
        "In their first year, miners sent home a quarter of their wages.",
        "In their first year, miners sent home half of their wages.",
        "Dust masks are refused by older miners.",
    ),
    Article(
        "Blue dye betrays the wealth of a household",
        "Widows wove most of the linen that was sold in the town.",
        "Most of the linen sold in the town was woven by widows.",
        "All of the linen sold in the town was woven by widows.",
        "Blue dye betrays the wealth of a household.",
    ),
    Article(
        "Bells, clocks and the working day",
        "Short working days were associated with fewer accidents in the foundry.",
        "Short working days were associated with fewer accidents in the foundry.",
        "Short working days cause fewer accidents in the foundry.",
        "Church clocks run late in poor parishes.",
    ),
    Article(
        "Eels survive the draining of ponds",
        "Carp grew faster in ponds that were drained every third year.",
        "Carp grew faster in ponds drained every third year.",
        "Carp grew slower in ponds that were drained every third year.",
        "Eels survive the draining of ponds.",
    ),
    Article(
        "Ink, paper and the price of news",
        "Newspapers raised their price when the tax on paper ended.",
        "Newspapers raised their price when the paper tax ended.",
        "Newspapers lowered their price when the paper tax ended.",
        "Cheap ink fades within a decade.",
    ),
    Article(
        "Left banks flood before right banks",
        "Villages on the left bank built their dykes of clay.",
        "The villages on the left bank built dykes of clay.",
        "Only villages on the left bank built dykes of clay.",
        "Left banks flood before right banks.",
    ),
    Article(
        "Fever and ferns in the herbals",
        "The fern may ease fever in children, but the herbals do not agree.",
        "The herbals do not agree whether the fern may ease fever in children.",
        "The fern eases fever in children.",
        "Willow bark lowers fever.",
    ),
    Article(
        "Foundlings learn trades sooner than orphans",
        "Foundlings were named after the saint of the day in 212 of 300 entries.",
        "In 212 of 300 entries foundlings were named after the saint of the day.",
        "In 300 of 212 entries foundlings were named after the saint of the day.",
        "Foundlings learn trades sooner than orphans.",
    ),
    Article(
        "Potatoes in the monastery garden",
        "The monks planted potatoes for their flowers before they ate any.",
        "The monks planted potatoes for their flowers before they ate any.",
        "The monks planted potatoes for the poor before they ate any.",
        "Potato blight spreads along canals.",
    ),
    Article(
        "Snow fences pay for themselves in two winters",
        "Snow closed the pass for 71 days in the winter of 1899.",
        "In the winter of 1899 snow closed the pass for 71 days.",
        "In the winter of 1889 snow closed the pass for 71 days.",
        "Snow fences pay for themselves in two winters.",
    ),
    Article(
        "Tobacco and the watch",
        "Sailors who smoked on watch saw fewer lights than the others.",
        "Sailors who smoked on watch saw fewer lights.",
        "Sailors who smoked on watch saw more lights.",
        "Strong coffee keeps helmsmen awake.",
    ),
    Article(
        "Glass beads mark the graves of traders",
        "Amber was found in none of the graves of children.",
        "Amber was found in none of the graves of children.",
        "Amber was found in most of the graves of children.",
        "Glass beads mark the graves of traders.",
    ),
    Article(
        "Rents after the fire",
        "Rents doubled in the parishes that the fire had spared.",
        "Rents doubled in parishes that were spared by the fire.",
        "Rents tripled in parishes that were spared by the fire.",
        "Brick houses burn from the roof down.",
    ),
    Article(
        "Ravens follow the plough and gulls the ship",
        "Gulls nested on the quay in every year but two.",
        "In every year but two, gulls nested on the quay.",
        "Gulls never nested on the quay.",
        "Ravens follow the plough and gulls the ship.",
    ),
)
