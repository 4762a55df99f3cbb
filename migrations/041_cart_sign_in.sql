-- The success page signs a new account in once; whoever signed out stays out.
alter table carts add column signed_in_at timestamptz;
