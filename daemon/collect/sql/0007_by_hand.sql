-- What organisers have entered in tournaments that daemons play: the match days of seasons are such ones.

create table oche.tournament_results (
    bridge_id uuid not null references oche.bridge on delete cascade,
    tournament text not null,
    line integer not null,
    said_order bigint,
    results text not null,
    heard_at timestamptz not null default now(),
    primary key (bridge_id, tournament)
);
comment on table oche.tournament_results is 'the latest message of a daemon on the results entered in a tournament';
comment on column oche.tournament_results.results is 'those that stand, as JSON: matches and numbers, no names';
create index tournament_results_tournament on oche.tournament_results (tournament);
