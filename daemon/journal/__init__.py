"""The journal of a table: where a match is at each moment, and what damage costs.

Where the current match is, the one that was begun last:

| moment                          | memory | log | rows | record | copy | beside it                            |
|---------------------------------|--------|-----|------|--------|------|--------------------------------------|
| an input is committed           | yes    | yes |      |        |      |                                      |
| it is shown                     | yes    | yes |      |        | yes  |                                      |
| after 32 commits                | yes    |     | yes  |        | yes  |                                      |
| the match is over               | yes    | yes |      | yes    | yes  |                                      |
| another one begins              |        | yes | yes  | yes    |      |                                      |
| the daemon has ended            |        |     | yes  |        | yes  |                                      |
| killed, or the power was cut    |        | yes | yes  |        | yes  |                                      |
| an input was refused            | yes    | ?   | yes  |        | yes  |                                      |
| damage was found, and is mended | ?      |     | ?    | ?      | yes  | draft: NAME.sqlite3.new              |
| all that can be read is written | ?      |     | ?    | ?      | yes  | draft: NAME.sqlite3.whole            |
| the draft is the journal        | ?      |     | yes  | yes    | yes  | set aside: NAME.sqlite3.damaged-DATE |

"?" is perhaps: the memory has nothing at a start until the journal was read.

* The *memory* (`CurrentMatch`) has the current match as it was committed. Whatever reopens the journal writes again
  what the journal has no more of it, and takes out what was refused and came to the disk all the same.
* The *log* (NAME.sqlite3-wal) and the *rows* are SQLite's. A commit is in the log, and on the disk, when it returns.
  The log is emptied before a match begins, so that it has nothing of the matches before but their records. A program
  that reads the journal may hold that up: then it has more.
* The *record* is a match once more, in one row with a checksum: written just after it is over, and just after another
  one has begun, and as all else to the log first.
* The *copy* (NAME.sqlite3-copy) is the current match once more, a line for each input with a checksum. It is written
  after the log and is not synchronised: it survives a kill, and may be behind after a power cut.
* A *draft* is a journal that is being rewritten. Once it is whole, only its own renaming takes it away. A file that was
  *set aside* is never overwritten.

What damage costs:

| what is damaged                 | what it costs                                                                     |
|---------------------------------|-----------------------------------------------------------------------------------|
| rows                            | nothing of a match with a record, else the matches in them                        |
| the first page of the file      | nothing                                                                           |
| a record                        | nothing                                                                           |
| rows and record of a match      | that match                                                                        |
| rows of the current match       | nothing; without memory and copy its lines from the first that cannot be read on, |
|                                 | and the match if that is its header                                               |
| the log                         | nothing; without memory and copy what is in it                                    |
| the copy                        | nothing                                                                           |
| the file is lost while open     | nothing, once a write or an opening notices it: what is open is copied            |
| the file is lost while not open | all matches but the current one, which the copy has                               |
| rows, and the disk is full      | nothing: the current match goes on, the others stay in the file that is set aside |

Nothing that was shown is gone without a remark.

What is in which file:

| file              | what                                                                                  |
|-------------------|---------------------------------------------------------------------------------------|
| `lines.py`        | what is written and read, as values: a match that begins, a line, a plan, a result    |
| `errors.py`       | what can go wrong, and the states that it leaves a journal in, with their transitions |
| `stored.py`       | reading matches, by the table and beside it                                           |
| `journal_file.py` | the file: its tables, writing, and erasing                                            |
| `current.py`      | the current match in the memory and in the copy                                       |
| `mending.py`      | reading a damaged journal into a draft, and the draft's taking its place              |
| `writer.py`       | the journal that a table has open: writing it, reopening it, and its states           |
"""
