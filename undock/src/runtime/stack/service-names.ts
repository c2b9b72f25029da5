export type ServiceName = 'rest' | 'auth' | 'storage' | 'realtime' | 'functions' | 'pg' | 'mcp' | 'mail'

/** The services of a stack that can be left out. */
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
