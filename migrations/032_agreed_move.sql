-- What the owner agreed to pay for a period of the plan that is moved to, whatever it costs by then.
alter table subscriptions add column pending_amount bigint check (pending_amount > 0);
update subscriptions s set pending_amount = r.amount from prices r where r.id = s.pending_price_id;
alter table subscriptions
  add constraint subscriptions_agreed_move
    check ((pending_amount is null) = (pending_price_id is null));
