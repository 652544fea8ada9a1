-- Seasons: what they are made of, and what was entered in them. What was played in them is found in the matches.

alter table oche.match add column ref text;
comment on column oche.match.ref is 'what the match was asked for as, once it is folded';
alter table oche.match add column team_names text[];
comment on column oche.match.team_names is 'the names of its sides as teams, once it is folded';
alter table oche.match add column tournament text generated always as (split_part(ref, '/', 1)) stored;
create index match_tournament on oche.match (tournament) where tournament is not null;
update oche.match set fold_state = 'new', fold_until = null;

create table oche.season (
    id text primary key,
    spec text not null,
    added_at timestamptz not null default now(),
    changed_at timestamptz not null default now()
);
comment on column oche.season.spec is 'its file, as JSON';

create table oche.season_input (
    season text not null references oche.season on delete cascade,
    number integer not null,
    at timestamptz not null default now(),
    input text not null,
    is_taken_back boolean not null default false,
    primary key (season, number)
);
comment on table oche.season_input is 'what was entered by hand, as JSON; what was taken back stays, and counts no more';
