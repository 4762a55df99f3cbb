-- In test mode a scene may sell a plan with a trial that the plan itself does not have.
alter table carts add column trial_days integer check (trial_days between 0 and 90);
