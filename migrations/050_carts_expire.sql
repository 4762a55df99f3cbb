-- The processor's card page of a cart, to be opened again instead of another one.
alter table carts add column card_entry_url text;

-- When the buyer agreed to be charged, in the app's time: the tax is that of this day, whenever the
-- answer came. Null on attempts for invoices, which are charged when they are made.
alter table attempts add column asked_at timestamptz;
