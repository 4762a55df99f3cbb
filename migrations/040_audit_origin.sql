-- From where something was done: what an investigation asks for first (ASVS 16).
alter table audit_log
  add column address text,
  add column agent text;
