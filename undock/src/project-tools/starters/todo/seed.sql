-- Some of Ada's todos, and one of Grace's that Ada can't see.
insert into public.todos (owner_id, title, is_done, due_on)
select id, title, is_done, current_date + days
from auth.users
join (values
  ('ada@example.com', 'Read the policies of this table', true, null),
  ('ada@example.com', 'Sign in with supabase-js', false, 1),
  ('ada@example.com', 'Add a column by a migration', false, 7),
  ('grace@example.com', 'Find the bug in the relay', false, 2)) as todo (email, title, is_done, days) using (email);
