export type ServiceName = 'rest' | 'auth' | 'storage' | 'realtime' | 'functions' | 'pg' | 'mcp' | 'mail'

/** Services that can be excluded. */
export const SERVICES = [
  'rest',
  'auth',
  'storage',
  'realtime',
  'functions',
  'pg',
  'mcp',
  'mail',
] as const satisfies readonly ServiceName[]
