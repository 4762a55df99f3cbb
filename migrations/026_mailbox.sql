-- The papers that came along with a letter, each with its name, type and bytes in base64.
alter table dev_mailbox add column attachments jsonb not null default '[]';
