-- A value of its own for what a retention rule will do. It is used from the next migration on: not in the transaction that adds it.
alter type public.notification_kind add value 'retention';
