-- Resolved alarms are deleted after a year, without reading the others.
create index alarms_resolved on alarms (resolved_at) where resolved_at is not null;
