-- An attempt whose request the processor does not accept is settled, with the processor's reason.
alter table attempts
  add column refusal text,
  drop constraint attempts_status_check,
  add constraint attempts_status_check check (status in
    ('open', 'action_required', 'succeeded', 'declined', 'closed', 'refused'));
