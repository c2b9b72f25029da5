/** The services of a stack that can be left out. */
export const SERVICES = ['rest', 'auth', 'storage', 'realtime', 'functions', 'pg', 'mcp', 'mail'] as const
export type ServiceName = (typeof SERVICES)[number]
