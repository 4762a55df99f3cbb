-- The success page signs a new account in until it signs out: an answer that was lost is asked again.
alter table carts rename column signed_in_at to sign_in_ended_at;
