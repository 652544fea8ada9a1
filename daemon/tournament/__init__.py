"""Tournaments of this daemon: kept in a file, run on its tables and on those of other daemons.

| file        | what                                                                                      |
|-------------|-------------------------------------------------------------------------------------------|
| `desk.py`   | the desk: makes tournaments, takes what is done in them, calls matches, takes results     |
| `hall.py`   | one tournament while it is open: its journal, its view, and what its tables have said     |
| `checks.py` | whether what a tournament is made of can be played                                        |
| `tables.py` | what the desk knows of a table and asks of it, whoever has it                             |
| `own.py`    | the tables of this daemon                                                                 |
| `missed.py` | results that the journals of the tables have, and the desk has not                        |
| `ref.py`    | the text by which a table says of which tournament its match is                           |
| `store.py`  | `tournaments.db`                                                                          |

Nothing here is loaded before the first tournament is made, or where its file is there at the start.
"""
