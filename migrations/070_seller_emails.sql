-- The emails that a seller switched off: sale, cancellation, failed_renewal.
alter table sellers add column muted_emails text[] not null default '{}';
