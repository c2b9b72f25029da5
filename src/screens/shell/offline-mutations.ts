// All modules with mutations that survive a reload. Loaded by the outbox when it has something to send.
import '../../features/documents/mutations.ts'
import '../../features/favorites/mutations.ts'
import '../../features/library-settings/mutations.ts'
import '../../features/notes/mutations.ts'
import '../../features/profile/mutations.ts'
import '../../features/reader/mutations.ts'
import '../../features/tags/mutations.ts'
