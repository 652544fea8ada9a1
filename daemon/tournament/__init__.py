"""Tournaments of this daemon: kept in a file, run on its tables and on those of other daemons.

| file                 | what                                                                                       |
|----------------------|--------------------------------------------------------------------------------------------|
| `desk.py`            | the desk: makes tournaments, takes what is done in them, calls matches, takes results      |
| `open_tournament.py` | one tournament while it is open: its journal, its view, what follows from what tables say  |
| `calls.py`           | which tables are free, and which match is offered at each                                  |
| `checks.py`          | whether what a tournament is made of can be played                                         |
| `rating.py`          | what an entrant is seeded by                                                               |
| `store.py`           | `tournaments.db`                                                                           |
| `ref.py`             | the text by which a table says of which tournament its match is                            |
| `tables.py`          | what the desk knows of a table and asks of it, whoever has it                              |
| `own.py`             | the tables of this daemon                                                                  |
| `missed.py`          | results that the journals of these tables have, and the desk has not                       |
| `other_tables.py`    | the tables of other daemons                                                                |
| `published.py`       | what is read of all that other daemons publish                                             |
| `offered.py`         | results that other daemons offer                                                           |
| `by_hand.py`         | the results that organisers have entered, for a league                                     |
| `publish.py`         | what is published over MQTT, and when; `topics.py` has the messages                        |
| `walls.py`           | what the displays of a table are told                                                      |

Nothing here is loaded before the first tournament is made, or where its file is there at the start.
"""
