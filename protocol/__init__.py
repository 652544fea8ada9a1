"""What boards send and what it means, without I/O and without a clock.

To read it in order: `segment` and `layouts` are what darts land on, `profile` is a kind of board as a file
says it, `codebook` that profile expanded to every frame it can say (`templates`, `mat`), `framing`
where one frame ends, `dialogue` and `dialogues` what two ends say besides hits, `endpoint` both ends of a wire: bytes
to `events` and back. `debounce` tells darts from contacts, `learning` finds out what an unknown board says, and
`messages`, `topics` and `commands` are how the world outside hears of a match.
"""
