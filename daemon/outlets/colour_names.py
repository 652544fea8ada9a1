"""The colours that X11 and the web have names for: what the arguments of other programs name."""

from __future__ import annotations

import re

_NUMBERED = {"1": 1.0, "2": 0.932, "3": 0.804, "4": 0.545}
"""How bright the numbered shades of X11 are, beside the first."""
_COLOURS = dict(
    pair.split("=")
    for pair in """
aliceblue=f0f8ff antiquewhite1=ffefdb antiquewhite=faebd7 aqua=00ffff aquamarine=7fffd4 azure=f0ffff beige=f5f5dc
bisque=ffe4c4 black=000000 blanchedalmond=ffebcd blue=0000ff blueviolet=8a2be2 brown1=ff4040 brown=a52a2a
burlywood1=ffd39b burlywood=deb887 cadetblue1=98f5ff cadetblue=5f9ea0 chartreuse=7fff00 chocolate1=ff7f24
chocolate=d2691e coral1=ff7256 coral=ff7f50 cornflowerblue=6495ed cornsilk=fff8dc crimson=dc143c cyan=00ffff
darkblue=00008b darkcyan=008b8b darkgoldenrod1=ffb90f darkgoldenrod=b8860b darkgray=a9a9a9 darkgreen=006400
darkkhaki=bdb76b darkmagenta=8b008b darkolivegreen1=caff70 darkolivegreen=556b2f darkorange1=ff7f00 darkorange=ff8c00
darkorchid1=bf3eff darkorchid=9932cc darkred=8b0000 darksalmon=e9967a darkseagreen1=c1ffc1 darkseagreen=8fbc8f
darkslateblue=483d8b darkslategray1=97ffff darkslategray=2f4f4f darkturquoise=00ced1 darkviolet=9400d3
debianred=d70751 deeppink=ff1493 deepskyblue=00bfff dimgray=696969 dodgerblue=1e90ff firebrick1=ff3030
firebrick=b22222 floralwhite=fffaf0 forestgreen=228b22 fuchsia=ff00ff gainsboro=dcdcdc ghostwhite=f8f8ff gold=ffd700
goldenrod1=ffc125 goldenrod=daa520 gray=808080 green1=00ff00 green=008000 greenyellow=adff2f honeydew=f0fff0
hotpink1=ff6eb4 hotpink=ff69b4 indianred1=ff6a6a indianred=cd5c5c indigo=4b0082 ivory=fffff0 khaki1=fff68f
khaki=f0e68c lavender=e6e6fa lavenderblush=fff0f5 lawngreen=7cfc00 lemonchiffon=fffacd lightblue1=bfefff
lightblue=add8e6 lightcoral=f08080 lightcyan=e0ffff lightgoldenrod1=ffec8b lightgoldenrod=eedd82
lightgoldenrodyellow=fafad2 lightgray=d3d3d3 lightgreen=90ee90 lightpink1=ffaeb9 lightpink=ffb6c1 lightsalmon=ffa07a
lightseagreen=20b2aa lightskyblue1=b0e2ff lightskyblue=87cefa lightslateblue=8470ff lightslategray=778899
lightsteelblue1=cae1ff lightsteelblue=b0c4de lightyellow=ffffe0 lime=00ff00 limegreen=32cd32 linen=faf0e6
magenta=ff00ff maroon1=ff34b3 maroon=800000 mediumaquamarine=66cdaa mediumblue=0000cd mediumorchid1=e066ff
mediumorchid=ba55d3 mediumpurple1=ab82ff mediumpurple=9370db mediumseagreen=3cb371 mediumslateblue=7b68ee
mediumspringgreen=00fa9a mediumturquoise=48d1cc mediumvioletred=c71585 midnightblue=191970 mintcream=f5fffa
mistyrose=ffe4e1 moccasin=ffe4b5 navajowhite=ffdead navy=000080 navyblue=000080 oldlace=fdf5e6 olive=808000
olivedrab1=c0ff3e olivedrab=6b8e23 orange=ffa500 orangered=ff4500 orchid1=ff83fa orchid=da70d6 palegoldenrod=eee8aa
palegreen1=9aff9a palegreen=98fb98 paleturquoise1=bbffff paleturquoise=afeeee palevioletred1=ff82ab
palevioletred=db7093 papayawhip=ffefd5 peachpuff=ffdab9 peru=cd853f pink1=ffb5c5 pink=ffc0cb plum1=ffbbff plum=dda0dd
powderblue=b0e0e6 purple1=9b30ff purple=800080 red=ff0000 rosybrown1=ffc1c1 rosybrown=bc8f8f royalblue1=4876ff
royalblue=4169e1 saddlebrown=8b4513 salmon1=ff8c69 salmon=fa8072 sandybrown=f4a460 seagreen1=54ff9f seagreen=2e8b57
seashell=fff5ee sienna1=ff8247 sienna=a0522d silver=c0c0c0 skyblue1=87ceff skyblue=87ceeb slateblue1=836fff
slateblue=6a5acd slategray1=c6e2ff slategray=708090 snow=fffafa springgreen=00ff7f steelblue1=63b8ff steelblue=4682b4
tan1=ffa54f tan=d2b48c teal=008080 thistle1=ffe1ff thistle=d8bfd8 tomato=ff6347 turquoise1=00f5ff turquoise=40e0d0
violet=ee82ee violetred1=ff3e96 violetred=d02090 wheat1=ffe7ba wheat=f5deb3 white=ffffff whitesmoke=f5f5f5
yellow=ffff00 yellowgreen=9acd32
""".split()
)
"""Those without a number, as on the web; and the first shades that are otherwise."""


def find_colour(name: str) -> str | None:
    """Returns the colour of this name as `#rrggbb`, such as of `gold` or `gold2`; None: there is none."""
    name = name.casefold().replace("grey", "gray")
    if name in _COLOURS:
        return f"#{_COLOURS[name]}"
    if shade := re.fullmatch("gray([0-9]{1,2}|100)", name):
        return "#" + 3 * f"{round(int(shade[1]) * 2.55):02x}"
    shade = re.fullmatch("([a-z]+)([1-4])", name)
    first = None if shade is None else _COLOURS.get(f"{shade[1]}1", _COLOURS.get(shade[1]))
    if shade is None or first is None:
        return None
    return "#" + "".join(f"{round(part * _NUMBERED[shade[2]]):02x}" for part in bytes.fromhex(first))
