/** The largest stock that is low, as the summary of the shop counts it. */
export const lowMax = 2
