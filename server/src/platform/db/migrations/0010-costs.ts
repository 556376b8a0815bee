import { bothEngines } from './words.ts'

/**
 * The routine of migration 5 for calls that count as several requests: it admits as many calls as both windows have room for, each
 * completely or not at all. A refused call is one strike. The routine of migration 5 stays for nodes of the previous release.
 */
const admitRoutine = `
CREATE FUNCTION petstore_admit(
  subjects text[], minutes bigint[], days bigint[], minute_limits bigint[], day_limits bigint[], asked bigint[], costs bigint[],
  OUT minute_before bigint, OUT day_before bigint, OUT admitted bigint, OUT strikes bigint
) RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1 .. cardinality(subjects) LOOP
    IF asked[i] > 0 THEN
      INSERT INTO rate_counters (subject, period, starts_at, used)
        VALUES (subjects[i], 'day', days[i], 0), (subjects[i], 'minute', minutes[i], 0) ON CONFLICT DO NOTHING;
    END IF;
    SELECT used INTO day_before FROM rate_counters
      WHERE subject = subjects[i] AND period = 'day' AND starts_at = days[i] FOR UPDATE;
    SELECT used INTO minute_before FROM rate_counters
      WHERE subject = subjects[i] AND period = 'minute' AND starts_at = minutes[i] FOR UPDATE;
    day_before := coalesce(day_before, 0);
    minute_before := coalesce(minute_before, 0);
    admitted := greatest(0, least(asked[i],
      (minute_limits[i] - minute_before) / costs[i], (day_limits[i] - day_before) / costs[i]));
    strikes := 0;
    IF admitted > 0 THEN
      UPDATE rate_counters SET used = used + admitted * costs[i] WHERE subject = subjects[i]
        AND ((period = 'day' AND starts_at = days[i]) OR (period = 'minute' AND starts_at = minutes[i]));
    END IF;
    IF admitted < asked[i] THEN
      INSERT INTO rate_counters AS c (subject, period, starts_at, used)
        VALUES (subjects[i], 'strike', minutes[i], asked[i] - admitted)
        ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = c.used + excluded.used;
      SELECT coalesce(sum(used), 0)::bigint INTO strikes FROM rate_counters
        WHERE subject = subjects[i] AND period = 'strike'
          AND starts_at > minutes[i] - 600000 AND starts_at <= minutes[i];
    END IF;
    RETURN NEXT;
  END LOOP;
END $$`

export const costs = bothEngines('costs', ({ routine }) => routine(admitRoutine))
