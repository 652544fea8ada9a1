-- Who may read the pages of the league: the daemons, and people who only look on.

create table oche.token (
    name text primary key,
    sha256 bytea not null unique,
    bridge_id uuid unique references oche.bridge on delete cascade,
    made_at timestamptz not null default now()
);
comment on table oche.token is 'a token by its checksum: it is shown once, when it is made';
comment on column oche.token.bridge_id is 'whose records it opens; null: it is for people, who only see the pages';
