-- One row that is written to find out whether the database takes writes.
create table health_probe (
  id boolean primary key default true check (id),
  at timestamptz not null
);
