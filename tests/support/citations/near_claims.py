"""Claims beside passages of a text that was read: those that it says, and those that it nearly says."""

from tests.support.citations.claims import Pair

SAID = (
    Pair(
        "Restaurant wages rose by 9% after the tip rule changed.",
        "We follow 412 kitchens for six years. After the tip rule changed, wages in restaurants rose by 9 %, "
        "mostly among cooks. Hours did not move.",
    ),
    Pair(
        "Half of the sampled wells exceeded the limit for nitrate.",
        "Wells were sampled in spring and in autumn. Half of the sampled wells exceeded the nitrate limit"
        " of the directive, most of them near pig farms.",
    ),
    Pair(
        "The dialect survived in three valleys until 1950.",
        "Speakers moved to the towns early. Still, until 1950 the dialect survived in three of the "
        "valleys, where schools were taught by locals.",
    ),
    Pair(
        "Rooftop gardens lower indoor temperatures in summer.",
        "Sensors were hung in forty flats. In summer, rooftop gardens reduced indoor temperature below "
        "the roof, and the effect was largest in the afternoon.",
    ),
    Pair(
        "Patients with a written plan missed fewer appointments.",
        "Missed appointments are costly. Patients who had a written plan missed fewer appointments than "
        "those who were only told of the date.",
    ),
    Pair(
        "Trained dogs detect the disease in breath samples.",
        "Eight trained dogs detected the disease in samples of breath, at a rate well above chance. Two "
        "of them tired within an hour.",
    ),
    Pair(
        "Late buses make commuters switch to cars.",
        "Commuters whose buses were late switched to cars within a year. Those with a season ticket "
        "switched later.",
    ),
    Pair(
        "The archive holds 2,300 letters by merchants.",
        "Of the merchants, the archive holds 2300 letters. Many are undated, and some are in cipher.",
    ),
    Pair(
        "Wheat yields fell by 6 percent for each degree of warming.",
        "Models agree on the sign. For each degree of warming, yields of wheat fell by 6 per cent in the "
        "ensemble.",
    ),
    Pair(
        "Sand mining erodes river banks downstream.",
        "Banks downstream of the pits retreat. Mining of sand eroded the river banks downstream for eleven "
        "kilometres, as aerial images show.",
    ),
    Pair(
        "Monks copied music with few errors.",
        "Errors were counted in ninety sheets. The monks copied the music with few errors, and most of these "
        "are in the rests.",
    ),
    Pair(
        "Teenagers who sleep longer report less anxiety.",
        "Teenagers who slept longer reported less anxiety, also when income was held constant. Screen "
        "time made no difference.",
    ),
    Pair(
        "The vaccine did not shorten the illness in adults.",
        "Among adults, the vaccine did not shorten the illness. Children were not part of the trial.",
    ),
    Pair(
        "Cash grants doubled school attendance in rural districts.",
        "The districts were drawn by lot. Cash grants doubled attendance at school in the rural districts"
        " within two terms.",
    ),
    Pair(
        "Beetles spread the fungus from oak to oak.",
        "It is beetles that spread the fungus from oak to oak. Wind carried no spores in our traps.",
    ),
    Pair(
        "Small claims courts settle most disputes within sixty days.",
        "Most disputes were settled by the small claims courts within 60 days. Appeals took another year.",
    ),
    Pair(
        "Salt marshes store more carbon than mangroves in this delta.",
        "Cores were taken at low tide. In this delta salt marshes stored more carbon than mangroves, by a"
        " factor of two.",
    ),
    Pair(
        "Translators shorten long sentences.",
        "Long sentences are shortened by translators. This holds in all nine languages of the corpus.",
    ),
    Pair(
        "Street lighting had no effect on burglary.",
        "Crimes were counted for ten years. We found no effect of street lighting on burglary, and a "
        "small one on theft from cars.",
    ),
    Pair(
        "Older voters trust local newspapers.",
        "Trust was asked for on a scale of seven. Older voters trusted their local newspapers, in every "
        "region.",
    ),
    Pair(
        "The comet was seen in Kraków in 1472.",
        "In 1472 the comet was seen in Kraków, and a drawing of it hung in the college. Other towns had "
        "clouds.",
    ),
    Pair(
        "Fishing boats discard a quarter of their catch.",
        "Observers sailed on sixty trips. A quarter of the catch was discarded by the fishing boats, "
        "mostly small plaice.",
    ),
    Pair(
        "Concrete with fly ash gains strength slowly.",
        "Cubes were broken after a week, a month and a year. Concrete that contains fly ash gained "
        "strength more slowly, and was stronger in the end.",
    ),
    Pair(
        "Reminders by text message raise turnout among young voters.",
        "Text message reminders raised turnout among young voters by two points. Letters did nothing.",
    ),
    Pair(
        "Peer review delays publication by five months.",
        "Dates were read from 9,000 papers. Peer review delayed publication by five months in the median.",
    ),
    Pair(
        "Moss on gravestones dates the stone's last cleaning.",
        "Moss grows at a known pace. The moss on gravestones therefore dates the last cleaning of the "
        "stone to within three years.",
    ),
    Pair(
        "Women in the guild could own looms.",
        "The rolls name both. Women of the guild could own looms, and widows kept apprentices.",
    ),
    Pair(
        "Heat pumps cut gas use by 60% in old houses.",
        "In old houses heat pumps cut the use of gas by 60%. In new ones there was less to cut.",
    ),
    Pair(
        "Owls avoid fields within a kilometre of wind turbines.",
        "We tagged thirty owls. They ranged widely at night. Owls avoided fields within one kilometre of "
        "the wind turbines.",
    ),
    Pair(
        "Inflation expectations follow petrol prices.",
        "Expectations of inflation followed the price of petrol in each of the surveys. Food prices came "
        "second.",
    ),
)
"""Thirty claims that a passage says, in other words and among other sentences."""

NEARLY: dict[str, tuple[Pair, ...]] = {
    "another number": (
        Pair(
            "Mortality fell by 12 % after the ban.",
            "Records cover two decades. Mortality fell by 21 % after the ban, and stayed there.",
        ),
        Pair("The trial enrolled 240 nurses.", "The trial enrolled 420 nurses in four wards."),
        Pair("The dam burst in 1911.", "Two warnings came late. The dam burst in 1917, in the night."),
        Pair("Yields doubled within five years.", "Yields doubled within fifteen years of the reform."),
        Pair("A third of the plots failed.", "Of the plots, a fifth failed in the second winter."),
        Pair(
            "Sixty of the schools closed and forty of the clinics moved.",
            "Forty of the schools closed, and sixty of the clinics moved.",
        ),
        Pair("Twelve of the ferries were late.", "12% of the ferries were late in the autumn."),
    ),
    "another name": (
        Pair("The reform raised wages in Denmark.", "The reform raised wages in Norway by a small amount."),
        Pair(
            "Growth slowed after the crisis in Peru.",
            "Growth slowed after the crisis in Chile, and banks closed.",
        ),
        Pair("As Keller argues, guilds slowed trade.", "As Ortiz argues, guilds slowed trade for a century."),
        Pair(
            "In mice, the compound of Roth cured diabetes.", "In mice, the compound of Hahn cured diabetes."
        ),
    ),
    "turned round": (
        Pair("The tax increased smoking among students.", "The tax decreased smoking among students."),
        Pair("Caffeine improves recall of words.", "Caffeine worsened recall of words in both sessions."),
        Pair(
            "Screens in class did not distract pupils.",
            "Screens in class distracted pupils, also those who sat behind them.",
        ),
        Pair(
            "The herbicide harms bees in the field.",
            "The herbicide does not harm bees in the field at the usual dose.",
        ),
        Pair("Rural clinics lacked vaccines in winter.", "Rural clinics had vaccines in winter."),
        Pair("The bridge was built before the war.", "The bridge was built after the war, from old plans."),
        Pair("Warm water slows the eggs of the frog.", "Cold water slows the eggs of the frog."),
        Pair(
            "Adults learn tones faster than children.",
            "Children learn tones faster than adults, if they are taught by song.",
        ),
        Pair(
            "Lime trees store more carbon than pines.",
            "Pines were measured first. They and other pines store more carbon than lime trees.",
        ),
        Pair("The strike was a success for the dockers.", "The strike was a failure for the dockers."),
        Pair(
            "Rich households save a larger share.", "Poor households save a larger share of what they earn."
        ),
    ),
    "not asserted": (
        Pair(
            "Vitamin C prevents colds.",
            "It is often claimed that vitamin C prevents colds. We tested this in 800 soldiers.",
        ),
        Pair(
            "Green light calms hens.",
            "We asked whether green light calms hens. Forty hens were kept in each of two rooms.",
        ),
        Pair(
            "The manuscript was written in Lyon.",
            "Earlier editors believed that the manuscript was written in Lyon.",
        ),
        Pair("Gold dust kills the mite.", "Gold dust may kill the mite, but no trial has been made."),
        Pair(
            "Fasting lengthens life in rats.",
            "If fasting lengthens life in rats, we would expect fewer tumours.",
        ),
        Pair(
            "Street music raises sales in shops.",
            "Street music raises sales in shops, so runs the myth. However, our counts do not support it.",
        ),
        Pair(
            "Chalk dust damages the lungs of teachers.",
            "Does chalk dust damage the lungs of teachers? The question is old.",
        ),
        Pair(
            "Bark beetles prefer wounded trees.",
            "Bark beetles prefer wounded trees, said the first report. However, later counts refute this.",
        ),
        Pair(
            "Night shifts cause ulcers.",
            "A future study should test the hypothesis that night shifts cause ulcers.",
        ),
    ),
    "more than it says": (
        Pair(
            "All patients with the graft recovered their sight.",
            "Some patients with the graft recovered their sight.",
        ),
        Pair("Most farms gave up ploughing.", "A few farms gave up ploughing after the subsidy."),
        Pair(
            "Only lichens survive on the north wall.",
            "On the north wall lichens survive, and so do two mosses.",
        ),
        Pair(
            "Debt causes divorce in young couples.",
            "Debt is associated with divorce in young couples.",
        ),
        Pair(
            "Loneliness leads to heart disease.",
            "Loneliness and heart disease are correlated in this sample.",
        ),
        Pair("Every village had a mill by then.", "By then many a village had a mill."),
    ),
    "the same subject": (
        Pair(
            "Wolves reduce the number of foxes in the park.",
            "In the park we counted the number of wolves and foxes by their tracks.",
        ),
        Pair(
            "The drug prevents strokes in older women.",
            "Older women with strokes were given the drug on the second day.",
        ),
        Pair(
            "Noise from ships drives whales from the bay.",
            "Noise of ships and calls of whales were recorded in the bay with six microphones.",
        ),
        Pair(
            "Guild statutes banned night work.",
            "The guild statutes were copied at night by two clerks.",
        ),
        Pair(
            "Compost improves the taste of carrots.",
            "Carrots were grown in compost and in sand, and their weight was taken.",
        ),
        Pair(
            "The tax on sugar lowered obesity in children.",
            "The tax on sugar was announced in spring. Obesity of children is measured at school.",
        ),
        Pair(
            "Migrant workers send half of their wages home.",
            "Migrant workers were asked about wages and about their homes, and half of them answered.",
        ),
        Pair(
            "This paper proves P = NP.",
            "We do not know whether P = NP. This paper lists proofs that failed.",
        ),
    ),
    "of a reference or a title": (
        Pair(
            "Copper surfaces kill bacteria within hours.",
            "Cleaning is dear. See Lee, A. (2019). Copper surfaces kill bacteria within hours. J. Surf. "
            "4, 11–19. We count costs.",
        ),
        Pair(
            "Moles aerate heavy clay soils.",
            "Much was written on soils, such as “Moles aerate heavy clay soils” by Ott. We look at sand.",
        ),
        Pair(
            "Tidal mills fed the coastal towns.",
            "[12] B. Okoro, Tidal mills fed the coastal towns, Water Hist. 3 (2011) 40–58. "
            "[13] C. Marsh, Wind and bread, 2012.",
        ),
        Pair(
            "Hedges slow the wind on open fields.",
            "Orr, P. and Lee, A. Hedges slow the wind on open fields. Agric. Rev., 12(3):101–119, 2004. "
            "doi:10.5555/hedge.7",
        ),
    ),
}
"""Claims that a passage does not say, although it has most of their words."""

TURNED = ("another number", "turned round")
"""Kinds of which most are told as ``contradicts``."""
