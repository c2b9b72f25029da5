-- A room with Ada and Grace. A trigger adds its creator.
insert into public.rooms (id, name, created_by)
select '33333333-3333-4333-8333-333333333333', 'Lobby', id from auth.users where email = 'ada@example.com';
insert into public.room_members (room_id, user_id)
select '33333333-3333-4333-8333-333333333333', id from auth.users where email = 'grace@example.com';
insert into public.messages (room_id, author_id, body, created_at)
select '33333333-3333-4333-8333-333333333333', id, body, now() - ago
from auth.users
join (values
  ('ada@example.com', 'Hello! Is anybody here?', interval '2 minutes'),
  ('grace@example.com', 'Yes. Your message arrived at once.', interval '1 minute')) as message (email, body, ago) using (email);
