"""Which numbers the pictures show."""

from penwright.domain.charts import made


def test_growth_is_what_the_text_had_after_each_session() -> None:
    chart = made.words_so_far([("one", 400), ("two", 380)], 4000)

    assert chart.series[0].values == (400.0, 380.0)
    assert chart.series[1].values == (4000.0, 4000.0)


def test_only_the_newest_sessions_are_shown() -> None:
    chart = made.words_per_session([(str(number), number) for number in range(100)], 0)

    assert chart.labels[0] == "60"
    assert len(chart.series) == 1


def test_critiques_keep_their_numbers() -> None:
    chart = made.score_per_critique([number / 100 for number in range(50)])

    assert (chart.labels[0], chart.labels[-1]) == ("11", "50")
    assert chart.series[0].values[-1] == 0.49


def test_a_cost_that_is_not_known_is_not_nothing() -> None:
    chart = made.cost("model", [("local", None), ("hosted", 1_500_000)])

    assert chart.series[0].values == (None, 1.5)
    assert chart.shown(None) == "–"
