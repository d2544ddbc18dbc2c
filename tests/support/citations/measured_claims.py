"""Pairs by which the rules of support were measured after they were made: first ``SECOND``, then ``LAST``."""

from tests.support.citations.claims import Pair

SECOND_SAID = (
    Pair(
        "Shift workers slept 40 minutes less than day workers.",
        "Diaries covered a week. Shift workers slept 40 minutes less than the day workers of the same plant.",
    ),
    Pair(
        "Cork oak forests recover within ten years of a fire.",
        "Within ten years of a fire the forests of cork oak had recovered, as the plots show.",
    ),
    Pair(
        "Subtitles help learners remember new words.",
        "Learners remembered more new words when films had subtitles, which helped beginners most.",
    ),
    Pair(
        "Recent work suggests that lead pipes survive in a third of old schools.",
        "Lead pipes survive in a third of the old schools that were opened for inspection.",
    ),
    Pair(
        "Fines reduced littering on beaches.",
        "Littering on the beaches decreased after fines were introduced, and rose again when they ended.",
    ),
    Pair(
        "The treaty was ratified by eleven states in 1907.",
        "In 1907 eleven states ratified the treaty. Two of them left it within a decade.",
    ),
    Pair(
        "Nurses wash their hands more often when they are watched.",
        "When watched, nurses washed their hands more often. The cameras were hidden in the second month.",
    ),
    Pair(
        "Cattle graze less on slopes above thirty degrees.",
        "On slopes above 30 degrees cattle grazed less, whatever the breed.",
    ),
    Pair(
        "Radio drama reached more listeners than the news.",
        "Radio drama reached more listeners than the news did, except in the weeks of the strike.",
    ),
    Pair(
        "Smoke from stoves harms the lungs of cooks.",
        "The lungs of cooks were harmed by smoke from the stoves, also where windows stood open.",
    ),
    Pair(
        "Children name colours later than shapes.",
        "Colours are named later than shapes by children in both of the languages.",
    ),
    Pair(
        "The parish paid for the burial of strangers.",
        "Burials of strangers were paid for by the parish, as its accounts show from 1702 on.",
    ),
)

SECOND_NOT_SAID = (
    # who does what to whom
    Pair("Cats chase foxes from the yard.", "Foxes chase cats from the yard in spring."),
    Pair("Landlords sued tenants in most years.", "Tenants sued landlords in most years."),
    Pair("Nurses trained doctors in the use of the pump.", "Doctors trained nurses in the use of the pump."),
    Pair("Fear follows pain in these patients.", "Pain follows fear in these patients."),
    Pair("The bishop excommunicated the count.", "The count had the bishop excommunicated."),
    # another scope
    Pair("The drug cures malaria in humans.", "The drug cures malaria in mice within a week."),
    Pair("Teachers in cities earn more.", "Teachers in villages earn more than is known."),
    Pair("Bread prices rose in winter.", "Bread prices rose in spring, as they do each year."),
    Pair("Boys read less at home.", "Girls read less at home than at school."),
    Pair("The herb lowers fever in goats.", "The herb lowers fever in horses, if it is fresh."),
    # another number or time
    Pair("The strike lasted nine weeks.", "The strike lasted nineteen weeks and ended in a loss."),
    Pair("Two thirds of the boats had radios.", "One third of the boats had radios."),
    Pair("Output fell by 3.5% a year.", "Output fell by 5.3% a year until the war."),
    Pair("The law of 1871 freed the serfs.", "The law of 1817 freed the serfs of the crown."),
    Pair("The well is 120 metres deep.", "The well is 12.0 metres deep."),
    # the contrary
    Pair("The audit found no missing money.", "The audit found missing money in two accounts."),
    Pair("Voters forgave the mayor.", "Voters never forgave the mayor."),
    Pair("Sugar dissolves faster in cold tea.", "Sugar dissolves faster in hot tea."),
    Pair("Patients tolerated the drug.", "Few patients tolerated the drug."),
    Pair("The siege was lifted before the harvest.", "The siege was lifted after the harvest."),
    Pair("Dry summers favour the beetle.", "Dry summers are unfavourable to the beetle."),
    # not asserted
    Pair("Chess makes children patient.", "Parents hope that chess makes children patient."),
    Pair(
        "The coin was struck in Arles.", "According to Petit, who was mistaken, the coin was struck in Arles."
    ),
    Pair("Bees see ultraviolet light.", "The aim of this study was to show that bees see ultraviolet light."),
    Pair("Rye tires the soil.", "A proverb has it that rye tires the soil."),
    Pair(
        "The bridge will fall within ten years.", "Critics warned that the bridge will fall within ten years."
    ),
    # more than it says
    Pair("Nobody in the village could read.", "Almost nobody in the village could read."),
    Pair("Alcohol causes gout.", "Alcohol and gout often occur together."),
    Pair("Every ship carried a surgeon.", "Larger ships carried a surgeon."),
    Pair("Bells alone kept the time.", "Bells kept the time, and so did the mill."),
)
"""Thirty, of which twelve were said before the rules were mended after them."""

LAST_SAID = (
    Pair(
        "Wet springs delay the flowering of plums.",
        "Plums flowered late in nine years. Wet springs delayed the flowering of plums by a week or more.",
    ),
    Pair(
        "Half of the letters were never answered.",
        "Of the letters in the box, half were never answered, and some were never opened.",
    ),
    Pair(
        "Studies show that warm rooms reduce falls among residents.",
        "Among the residents falls were reduced in warm rooms, by about a quarter.",
    ),
    Pair(
        "Sailors' wives ran most of the taverns in Leith.",
        "Most of the taverns in Leith were run by the wives of sailors, as the licences show.",
    ),
    Pair(
        "Stone walls shelter more lizards than hedges.",
        "We searched two hundred plots. Stone walls sheltered more lizards than hedges did.",
    ),
    Pair(
        "The museum lost 312 objects in the flood of 1910.",
        "In the flood of 1910 the museum lost 312 objects, among them all of its masks.",
    ),
    Pair(
        "Music lessons improved the reading of second graders.",
        "Second graders improved in reading after a year of music lessons.",
    ),
    Pair(
        "Tenants on short leases do not repair roofs.",
        "Roofs decay if leases are short. Tenants on short leases do not repair roofs they live under.",
    ),
    Pair(
        "Ash from the eruption reached Iceland within three days.",
        "Within three days the ash of the eruption had reached Iceland, where it lay on the snow.",
    ),
    Pair(
        "Cheap lamps lengthened the working day of tailors.",
        "The working day of tailors grew longer once lamps were cheap.",
    ),
)

LAST_NOT_SAID = (
    Pair("Dogs guard sheep against lynx.", "Dogs guard geese against lynx on these farms."),
    Pair("The queen pardoned the duke.", "The duke pardoned the queen in his last letter."),
    Pair("Apples keep longer in straw.", "Apples rot sooner in straw than in sand."),
    Pair("The clinic treated 85 soldiers.", "The clinic treated 58 soldiers and 85 sailors."),
    Pair("Mint repels moths.", "Mint repels fleas, and moths ignore it."),
    Pair("Old pilots react as fast as young ones.", "Old pilots do not react as fast as young ones."),
    Pair("Trams made the suburbs rich.", "The suburbs were rich before trams were made."),
    Pair("Loud music harms hearing in infants.", "It is unknown if loud music harms hearing in infants."),
    Pair("All readers preferred the old type.", "Readers preferred the old type in two of five tests."),
    Pair("Weavers earned more than dyers.", "Dyers earned more than weavers until the strike."),
    Pair("The village had no priest.", "The village had no priest until 1650, and two after that."),
    Pair("Seals eat most of the cod.", "Seals eat some of the cod and most of the herring."),
    Pair("Wine prices fell after the frost.", "Wine prices fell before the frost and rose after it."),
    Pair("Mules outlive horses.", "Horses outlive mules in the army's own books."),
    Pair("Iron bells crack in frost.", "Bronze bells crack in frost if they are struck hard."),
    Pair("Guests tip more in cash.", "Guests who pay in cash are asked to tip, and more leave."),
    Pair("Storks nest on chimneys again.", "Nobody has seen storks nest on chimneys again."),
    Pair("The dye is poisonous.", "The dye was thought to be poisonous by its makers."),
    Pair("Tea was cheaper than beer.", "Beer was cheaper than tea in all the ports."),
    Pair("Cold baths cure gout.", "Cold baths cure gout, wrote one physician. That was false."),
)
"""Twenty, for which nothing was changed."""
