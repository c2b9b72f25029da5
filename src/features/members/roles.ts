export const ROLES = [
  { value: 'reader', label: 'Reader: reads and comments' },
  { value: 'editor', label: 'Editor: also adds and changes' },
  { value: 'owner', label: 'Owner: also manages members' },
] as const
