# every command and every test, in any case, with blanks and a fifth field
c: ResetEvent:	0: 0
C:schedother:0:19
C: schedfifo: 1: 99: ignored
t: nprioeq: 1: 99
T: npriolt: 0: 1
T: npriogt: 1: 98
T: prioeq: 0: -21
T: priogt: 1: 98
T: priolt: 0: 0

C: lock: 0: 7
W: locked: 0: 7
T: eventeq: 0: 2
T: eventgt: 0: 1
T: eventlt: 0: 3
C: lockint: 1: 7
W: blocked: 1: 7
T: opcodeeq: 1: lockint
T: opcodegt: 1: 0
C: unlock: 0: 7
T: blockedwake: 1: 7
T: opcodeeq: 1: 0
C: lockcont: 1: 7
T: locked: 1: 7
C: lockintnowait: 0: 7
C: signal: 0: 0
T: opcodeeq: 0: -4
T: opcodelt: 0: 0
C: unlock: 0: 3
T: opcodeeq: 0: -22
C: locknowait: 1: 0
C: reset: 1: 0
T: unlocked: 1: 7
T: unlocked: 1: 0
