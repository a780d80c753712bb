# the big kernel lock, as scripts up to 2.6.37 could use it
C: schedother: 0: 0
C: schedother: 1: 0
C: lockbkl: 0: 0
W: lockedbkl: 0: 0
C: lockbkl: 1: 0
W: blockedbkl: 1: 0
T: priolt: 0: 1
C: unlockbkl: 0: 0
W: unlockedbkl: 0: 0
W: lockedbkl: 1: 0
C: unlockbkl: 1: 0
W: opcodeeq: 1: 0
