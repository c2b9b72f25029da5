-- Owners are told in their inbox that a webhook was turned off. A migration of its own: a new value can be used once it is committed
alter type public.notification_kind add value 'webhook';
