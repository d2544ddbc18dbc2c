"""Claims with passages that say them, and passages of the same field that do not."""

from typing import NamedTuple


class Pair(NamedTuple):
    """A claim, and a passage that carries it."""

    claim: str
    passage: str


RIGHT = (
    Pair(
        "The water in the bay rises twice a day.",
        "Gauges show that water levels in the bay rise twice each day.",
    ),
    Pair(
        "Harbours fill with silt within forty years.",
        "Within forty years most of the harbours had filled with silt and were given up.",
    ),
    Pair(
        "Most claimed research findings are false.",
        "Study power, bias and the number of tested relations make most claimed research findings false.",
    ),
    Pair(
        "People weigh losses more than gains.",
        "How people choose under risk, with losses that weigh more than gains, where utility fails.",
    ),
    Pair(
        "Networks of many layers learn representations of images.",
        "Models of many layers learn representations of images, speech and text by backpropagation.",
    ),
    Pair(
        "Urban trees lower the air temperature in streets by up to 2 degrees.",
        "Street trees lowered air temperature by as much as 2 degrees in streets of urban districts.",
    ),
    Pair(
        "Sleep loss impairs the memory of students.",
        "Students who slept five hours had impaired memory for word lists; loss of sleep also slowed them.",
    ),
    Pair(
        "Lime mortar lets old brick walls dry.",
        "Old brick walls pointed with lime mortar dried within a season, since the mortar passes moisture.",
    ),
    Pair(
        "Bees forage less on windy days.",
        "Foraging trips of bees dropped on windy days, with fewer returns for each hour of wind.",
    ),
    Pair(
        "Vitamin D did not prevent falls in older adults.",
        "In a trial of 2,300 older adults vitamin D did not prevent falls.",
    ),
    Pair(
        "Peat bogs store a third of the carbon in soils.",
        "Although they cover 3% of land, peat bogs store about a third of all carbon held in soils.",
    ),
    Pair(
        "Reading aloud to children enlarges their vocabulary.",
        "Children whose parents read aloud daily had a larger vocabulary at five.",
    ),
    Pair(
        "The Antonine plague killed a tenth of the population of the empire.",
        "Estimates put deaths in the Antonine plague at about a tenth of the empire's population.",
    ),
    Pair(
        "Glacier melt raises river flow in early summer.",
        "River flow in early summer was raised by melting of the glaciers upstream.",
    ),
    Pair(
        "Open data increase the citations of a paper.",
        "Papers with open data received more citations, an increase of 9% after controls.",
    ),
    Pair(
        "Copper surfaces kill bacteria within hours.",
        "Bacteria on copper surfaces were killed in two hours, while on steel they lived for days.",
    ),
    Pair(
        "Noise at night raises blood pressure.",
        "Blood pressure rose after nights with aircraft noise above 50 decibels.",
    ),
    Pair(
        "Coral reefs protect coasts from waves.",
        "Reefs of coral break waves and so protect the coasts behind them from erosion.",
    ),
    Pair(
        "Teachers leave schools with poor leadership.",
        "Poor leadership was the strongest reason that teachers gave for leaving their schools.",
    ),
    Pair(
        "Steel bridges corrode faster near the sea.",
        "Corrosion of steel bridges was three times faster near the sea than inland.",
    ),
    Pair(
        "Wolves keep the number of deer down.",
        "Where wolves returned, the number of deer was kept down and saplings grew.",
    ),
    Pair(
        "Printing spread through trade towns along the Rhine.",
        "Presses followed trade: towns along the Rhine had printing decades before others.",
    ),
    Pair(
        "Minimum wages had no effect on employment in restaurants.",
        "We find no effect of the minimum wage on employment in fast-food restaurants.",
    ),
    Pair(
        "Chess masters recall positions by chunks.",
        "Masters of chess recalled whole positions, which they store as chunks of familiar pieces.",
    ),
    Pair(
        "Volcanic winters followed the eruption of Tambora in 1815.",
        "The eruption of Tambora in 1815 was followed by a volcanic winter in Europe.",
    ),
    Pair(
        "Hand washing halves infections in wards.",
        "Infections in the wards were halved once staff kept to hand washing.",
    ),
    Pair(
        "Soil under hedges holds more water.",
        "Under hedges soil held a fifth more water than in the open field.",
    ),
    Pair(
        "Bilingual speakers switch languages without cost in conversation.",
        "In free conversation bilingual speakers switched languages without measurable cost.",
    ),
    Pair(
        "Solar panels lose half a percent of output a year.",
        "Output of the solar panels fell by half a percent each year over two decades.",
    ),
    Pair(
        "Dust from the Sahara feeds the forests of the Amazon.",
        "Phosphorus in Sahara dust feeds the Amazon, whose forests lose as much by rain.",
    ),
    Pair(
        "Remote work raised output in a call centre by 13%.",
        "Output of call centre staff rose by 13% in nine months of remote work.",
    ),
    Pair(
        "Ants find short paths by laying scent.",
        "By laying scent on the way home ants come to prefer the shorter of two paths.",
    ),
)
"""Thirty-two claims of many fields, in other words than their passages."""

UNRELATED = tuple(
    Pair(each.claim, RIGHT[(at + shift) % len(RIGHT)].passage)
    for shift in (1, 7)
    for at, each in enumerate(RIGHT)
)
"""Each claim with two passages about something else."""

OPPOSITE = (
    Pair("Bees forage more on windy days.", "Bees forage less on windy days, when returns fall."),
    Pair(
        "Vitamin D prevented falls in older adults.",
        "In a trial of 2,300 older adults vitamin D did not prevent falls.",
    ),
    Pair("Noise at night lowers blood pressure.", "Noise at night raised the blood pressure of sleepers."),
    Pair(
        "Minimum wages reduce employment in restaurants.",
        "Minimum wages increased employment in fast-food restaurants.",
    ),
    Pair("Soil under hedges holds less water.", "Soil under hedges held more water than in the open field."),
)
"""Claims of which the passage says the opposite."""
