-- Tax quotes, each kept with the rule that made it.

create table tax_quotes (
  id text primary key,
  country text not null,
  state text not null,
  zip text not null,
  amount bigint not null,
  tax bigint not null check (tax >= 0),
  -- The dated row of the rate table, its rate in millionths and the taxable share in millionths.
  rule text not null,
  rate_ppm integer not null,
  taxable_ppm integer not null,
  created_at timestamptz not null
);
