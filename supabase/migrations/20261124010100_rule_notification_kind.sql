-- A migration of its own: a new value of a type can be used when the transaction that adds it has ended
alter type public.notification_kind add value 'rule';
