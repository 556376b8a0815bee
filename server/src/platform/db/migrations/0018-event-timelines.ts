import type { Migration } from '../migration.ts'

/**
 * The server's timeline: every promotion and every point-in-time restore starts a higher one. 0 if a managed service does not reveal it,
 * such as Aurora, whose failovers lose nothing.
 */
const timelineRoutine = `
CREATE FUNCTION petstore_timeline() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ('x' || left(pg_walfile_name('0/1'), 8))::bit(32)::bigint;
EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR object_not_in_prerequisite_state THEN
  RETURN 0;
END $$`

const column = (integer: string) => `ALTER TABLE event_log ADD COLUMN timeline ${integer} NOT NULL DEFAULT 0`

/** The timeline since which each new one raises the event numbers. */
export const eventTimelines: Migration = {
  name: 'event timelines',
  statements: {
    sqlite: [column('INTEGER')],
    postgres: [
      timelineRoutine,
      column('bigint'),
      // Nodes of the previous release know no timelines: until the next one, both number events alike.
      `INSERT INTO event_log (one, base, pruned_tx, pruned_id, timeline)
       SELECT 1, 0, 0, 0, petstore_timeline() WHERE EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM event_log)
       ON CONFLICT (one) DO UPDATE SET timeline = excluded.timeline`,
    ],
  },
}
