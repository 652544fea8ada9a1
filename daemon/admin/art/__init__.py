"""Art: folders of CSS, pictures and sounds that change how the scoreboard looks."""
