-- pgaudit has no functions to call: its settings are accepted, but nothing is logged.

do $$
begin
  raise warning 'pgaudit: undock does not write an audit log of statements';
end
$$;
